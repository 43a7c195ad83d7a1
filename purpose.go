package vyre

// Purpose is what a thread is for. It decides the model and the words added to
// the agent's prompt where nobody chose them for the thread. The store keeps the
// word as text, so an older home may hold others.
type Purpose string

// The purposes.
const (
	PurposeChat    Purpose = "chat"
	PurposeAgent   Purpose = "agent"   // a named agent's own work
	PurposeProject Purpose = "project" // work in a project's folder
	PurposeCapsule Purpose = "capsule" // a quick question
	PurposeJob     Purpose = "job"     // one turn, without tools and settings, within a budget
	PurposeMemory  Purpose = "memory"
	PurposePlanner Purpose = "planner"
	PurposeLearn   Purpose = "learn"
)

// Purposes lists every purpose once.
var Purposes = []Purpose{
	PurposeChat, PurposeAgent, PurposeProject, PurposeCapsule,
	PurposeJob, PurposeMemory, PurposePlanner, PurposeLearn,
}

// InferPurpose is the purpose of a thread for which none was given.
func InferPurpose(oneShot bool, agent, project string) Purpose {
	switch {
	case oneShot:
		return PurposeJob
	case agent != "":
		return PurposeAgent
	case project != "":
		return PurposeProject
	}
	return PurposeChat
}

// The words that stand for a provider's own best and quick model.
const (
	ModelLarge = "large"
	ModelSmall = "small"
)

// DefaultModel is the model of a purpose that nothing was set for.
func (p Purpose) DefaultModel() string {
	switch p {
	case PurposeChat, PurposeAgent, PurposeProject:
		return ModelLarge
	case PurposeCapsule, PurposeJob, PurposeMemory, PurposePlanner, PurposeLearn:
	}
	return ModelSmall
}

// ModelSetting is a model that a person set for a purpose or for a project.
type ModelSetting struct {
	Scope ModelScope `json:"scope"`
	Name  string     `json:"name"`  // the purpose's word, or the project's folder
	Model string     `json:"model"` // large, small or a provider's own id
	By    string     `json:"by"`
	At    Time       `json:"at"`
}

// ModelScope says what a ModelSetting is for.
type ModelScope string

// The scopes of a ModelSetting.
const (
	ModelOfPurpose ModelScope = "purpose"
	ModelOfProject ModelScope = "project"
)

// ModelScopes lists every scope once.
var ModelScopes = []ModelScope{ModelOfPurpose, ModelOfProject}

// PromptVersion is one version of the text that is added to the agent's own
// system prompt in threads of a purpose. The highest is in force; none is ever
// changed or removed.
type PromptVersion struct {
	Purpose Purpose `json:"purpose"`
	Version int     `json:"version"` // counts from 1
	Text    string  `json:"text"`    // empty: nothing is added
	Bytes   int     `json:"bytes"`
	Reverts int     `json:"reverts"` // the version whose text it took up again, or 0
	By      string  `json:"by"`
	At      Time    `json:"at"`
}
