package fake

// story is what "story" stands for: everything a person should see once. Text
// comes as it is made, a question is asked, a command and a file need a yes.
const story = `think A first session: greet, ask what the note should say, write it.
say Hello! I am the real agent, talking to a small scripted model on your own machine. Nothing leaves it.
tool AskUserQuestion {"questions":[{"question":"What should the note be about?","header":"Note","multiSelect":false,"options":[{"label":"A greeting","description":"A friendly hello"},{"label":"A haiku","description":"Three short lines"}]}]}
say You chose: $ANSWER. I will write it down now.
tool Write {"file_path":"$CWD/hello-from-vyre.md","content":"# Hello from Vyre\n\nThis note was written by a coding agent,\nand you allowed it.\n"}
say That was all: a turn, a question, a permission. Your own agent works the same way.`

const friendly = "Hello! I am a scripted model. Send me lines such as \"say hello\", \"words 20 every 50ms\" or \"story\"."
