package shell

// Script is a command line, taken apart.
type Script struct {
	Steps []Step
	// Doubts say what could not be read, a sentence each. With any of them nothing
	// may be concluded from the steps but harm.
	Doubts []string
	// TooMuch says that the text was not looked at, as it is too long or too deep.
	TooMuch bool
}

// Kind says what a step is.
type Kind int

// The kinds of steps.
const (
	Command  Kind = iota // a simple command
	Assign               // variables are set for the rest of the line
	Declare              // export, declare, local, readonly, typeset
	Test                 // [[ … ]]
	Function             // a function is defined; its body's steps follow
	Loop                 // a variable of a loop is set
	Redirect             // redirections of a group of commands
)

// Step is one thing that a command line does.
type Step struct {
	Kind   Kind
	Text   string // as written
	Words  []Word // Command: the name and its arguments; Test: the operands
	Sets   []Set
	Redirs []Redir
	Dirs   Dirs
	Piped  bool // it reads what another command writes
}

// Set is a variable that is set.
type Set struct {
	Name  string
	Value Word
}

// Redir is one redirection.
type Redir struct {
	Op     string
	Writes bool // it makes, truncates or appends to a file
	Target Word // Known only where it names a file or a descriptor
	Here   bool // a here-document or here-string; Target is what it says
}

// Word is a word of a command.
type Word struct {
	Raw   string // as written
	Known bool   // Text is its value for certain
	Glob  bool   // it stands for the names that Text matches, or for itself
	Text  string // the value, or the pattern where Glob is set
	// Guess is its likely value for a word that is not known; each piece that nobody
	// can know is one Unknown. It serves to refuse, never to let pass.
	Guess string
	Plain bool // without quotes and escapes
}

// Unknown stands in a Guess for what nobody can know.
const Unknown = "\x00"

// Dirs are the folders in which a step may run.
type Dirs struct {
	List  []string // absolute and clean
	Known bool     // there is no other
}

// Sure returns the only folder that is possible.
func (d Dirs) Sure() (string, bool) {
	if d.Known && len(d.List) == 1 {
		return d.List[0], true
	}
	return "", false
}
