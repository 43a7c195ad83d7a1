package claude

import (
	"slices"

	"vyre"
)

// efforts are the agent's words for how hard the model thinks. It takes any word
// without complaint and ignores what it does not know, so others are refused here.
var efforts = []string{"low", "medium", "high", "xhigh", "max"}

func checkEffort(e string) error {
	if e != "" && !slices.Contains(efforts, e) {
		return vyre.Invalid("effort", "there is no effort %q; it is low, medium, high, xhigh or max", e)
	}
	return nil
}

// setEffort counts from the next request of the model. null is the agent's default.
func setEffort(id uint64, effort string) ([]byte, error) {
	if err := checkEffort(effort); err != nil {
		return nil, err
	}
	var level any
	if effort != "" {
		level = effort
	}
	return control(id, whatEffort, object{"subtype": "apply_flag_settings", "settings": object{"effortLevel": level}})
}
