package config

// ServiceEnv is the variable by which a daemon knows that a service manager runs it:
// "user" or "system" under systemd, "launchd" under launchd.
const ServiceEnv = "VYRE_SERVICE"

// ExitAgain is the exit code of a daemon that wants to be started again by its
// service manager. It is sysexits' EX_TEMPFAIL, which no error of ours has.
const ExitAgain = 75
