package policy

// Where a thread's model came from.
const (
	ModelFromProject = "project" // set for its project
	ModelFromPurpose = "purpose" // set for its purpose
	ModelFromConfig  = "config"  // config.toml
	ModelFromDefault = "default"
)

// ModelChoice is a model and where it came from.
type ModelChoice struct {
	Model string `json:"model"` // large, small or a provider's own id
	From  string `json:"from"`
}

// Model chooses for a thread that was not started with a model of its own: what was
// set for its project, for its purpose, in the configuration, or the default.
// Empty means that nothing was set.
func Model(project, purpose, config, fallback string) ModelChoice {
	for _, c := range []ModelChoice{
		{project, ModelFromProject}, {purpose, ModelFromPurpose}, {config, ModelFromConfig},
	} {
		if c.Model != "" {
			return c
		}
	}
	return ModelChoice{fallback, ModelFromDefault}
}
