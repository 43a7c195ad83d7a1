package agent

import "vyre"

// Carrier is a Provider whose agent takes settings from the folder that it works in:
// hooks, servers, addresses, rules, and words that come with rights. Whoever starts a
// session shows them to a person first. A session is started without them unless
// Options.FolderSettings is set.
type Carrier interface {
	// Carries says where a folder has such files, for a session with o. It does no IO.
	Carries(o Options) Carries
	// Brings words what the files that were found would do. It is a pure function.
	Brings(files []FolderFile) Brings
}

// Carries says where to look.
type Carries struct {
	Places []FolderPlace
	// Own is the folder of the person's own settings, absolute, or empty: what lies
	// there is not a folder's, except at places that are marked Everywhere.
	Own string
}

// FolderPlace is where a file may lie: a path with slashes, from the folder. A last
// element of ** means every file below, and a * stands for one element.
type FolderPlace struct {
	Path       string
	Up         bool // also in every folder above
	Everywhere bool // also where the person's own settings lie
}

// FolderFile is one file that was found. Name is from the session's folder, with
// slashes; ../ for one above it.
type FolderFile struct {
	Name  string
	Bytes []byte
}

// Brings is what files of a folder would do.
type Brings struct {
	// Acts names the files that do something: their bytes have to be the ones that
	// were shown. The others are words for the agent, which may change.
	Acts   []string
	Things []vyre.BroughtThing
}
