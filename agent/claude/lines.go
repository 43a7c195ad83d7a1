package claude

import "encoding/json"

// head is what every line is told apart by.
type head struct {
	Type      string  `json:"type"`
	Subtype   string  `json:"subtype"`
	Parent    *string `json:"parent_tool_use_id"`
	RequestID string  `json:"request_id"` // of control requests and their cancelling
}

func (h head) parent() string {
	if h.Parent == nil {
		return ""
	}
	return *h.Parent
}

// streamLine is a stream_event: one event of the model's own stream.
type streamLine struct {
	Event struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			ID    string      `json:"id"`
			Usage tokensUsage `json:"usage"`
		} `json:"message"`
		Block struct {
			Type string `json:"type"`
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"content_block"`
		Delta struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Thinking string `json:"thinking"`
		} `json:"delta"`
	} `json:"event"`
}

// messageLine is an assistant or user line.
type messageLine struct {
	UUID    string `json:"uuid"`
	Message struct {
		ID      string      `json:"id"`
		Model   string      `json:"model"`
		Content content     `json:"content"`
		Usage   tokensUsage `json:"usage"`
	} `json:"message"`
	Aborted    bool   `json:"aborted"`
	Error      string `json:"error"`
	IsAPIError bool   `json:"is_api_error_message"`

	IsReplay  bool         `json:"isReplay"`
	Synthetic bool         `json:"isSynthetic"`
	Meta      []resultMeta `json:"tool_result_meta"`
}

type resultMeta struct {
	ID           string `json:"id"`
	NonExecution string `json:"non_execution_kind"`
	Decision     struct {
		Decision string `json:"decision"`
		Source   string `json:"source"`
		Reason   string `json:"reason_type"`
	} `json:"permission_decision"`
}

// block is one content block.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

// content is a string or a list of blocks; what is neither is empty.
type content []block

func (c *content) UnmarshalJSON(b []byte) error {
	*c = nil
	var s string
	if json.Unmarshal(b, &s) == nil {
		*c = content{{Type: "text", Text: s}}
		return nil
	}
	var bs []block
	if json.Unmarshal(b, &bs) == nil {
		*c = bs
	}
	return nil
}

// systemLine holds the fields of all system messages that are read.
type systemLine struct {
	UUID     string   `json:"uuid"`
	Messages []string `json:"user_message_uuids"`

	Model string `json:"model"`          // init
	Mode  string `json:"permissionMode"` // init, status

	Status       *string `json:"status"` // status, task_notification
	CompactError string  `json:"compact_error"`

	Attempt    int    `json:"attempt"` // api_retry
	MaxRetries int    `json:"max_retries"`
	DelayMS    int    `json:"retry_delay_ms"`
	ErrorCode  *int   `json:"error_status"`
	Error      string `json:"error"`

	Tasks []struct { // background_tasks_changed
		ID          string `json:"task_id"`
		Description string `json:"description"`
	} `json:"tasks"`

	TaskID       string `json:"task_id"` // task_*
	TaskType     string `json:"task_type"`
	ToolUseID    string `json:"tool_use_id"`
	Description  string `json:"description"`
	SubagentType string `json:"subagent_type"`
	ParentTask   string `json:"parent_task_id"`
	Background   bool   `json:"is_backgrounded"`
	Summary      string `json:"summary"`
	Patch        struct {
		Background bool `json:"is_backgrounded"`
	} `json:"patch"`

	Compact json.RawMessage `json:"compact_metadata"` // compact_boundary

	Content string `json:"content"` // informational, model_refusal_*, local_command_output
	Text    string `json:"text"`    // notification

	ToolName string `json:"tool_name"` // permission_denied
	Message  string `json:"message"`
}

// resultLine ends a turn.
type resultLine struct {
	Subtype   string                `json:"subtype"`
	IsError   bool                  `json:"is_error"`
	Result    string                `json:"result"`
	Errors    []string              `json:"errors"`
	Reason    string                `json:"terminal_reason"`
	APIStatus *int                  `json:"api_error_status"`
	APIType   string                `json:"api_error_type"`
	APIError  string                `json:"api_error"`
	Messages  []string              `json:"user_message_uuids"`
	Usage     tokensUsage           `json:"usage"`
	Since     map[string]modelUsage `json:"model_usage_since_last_result"`
	Models    map[string]modelUsage `json:"modelUsage"`
}

// tokensUsage is the model service's own count.
type tokensUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

// context is what of the context window a request filled.
func (u tokensUsage) context() int64 { return u.Input + u.CacheRead + u.CacheWrite }

type modelUsage struct {
	Input         int64   `json:"inputTokens"`
	Output        int64   `json:"outputTokens"`
	CacheRead     int64   `json:"cacheReadInputTokens"`
	CacheWrite    int64   `json:"cacheCreationInputTokens"`
	CostUSD       float64 `json:"costUSD"`
	ContextWindow int64   `json:"contextWindow"`
}

// lifecycleLine says how far a message of ours came.
type lifecycleLine struct {
	Message string `json:"command_uuid"`
	State   string `json:"state"`
}

type rateLimitLine struct {
	Info struct {
		Status   string `json:"status"`
		ResetsAt int64  `json:"resetsAt"` // seconds
		Type     string `json:"rateLimitType"`
	} `json:"rate_limit_info"`
}

type resetLine struct {
	ID string `json:"new_conversation_id"`
}

// requestLine is something that the agent asks of us.
type requestLine struct {
	RequestID string  `json:"request_id"`
	Request   request `json:"request"`
}

type request struct {
	Subtype     string            `json:"subtype"`
	Tool        string            `json:"tool_name"`
	DisplayName string            `json:"display_name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Input       json.RawMessage   `json:"input"`
	Suggestions []json.RawMessage `json:"permission_suggestions"`
	NoRule      bool              `json:"suppress_always_allow_rule"`
	AskRule     json.RawMessage   `json:"matched_ask_rule"`
	Interaction bool              `json:"requires_user_interaction"`
	Blocked     string            `json:"blocked_path"`
	Reason      string            `json:"decision_reason"`
	ReasonType  string            `json:"decision_reason_type"`
	ToolUseID   string            `json:"tool_use_id"`
	AgentID     string            `json:"agent_id"`

	Callback string          `json:"callback_id"` // hook_callback; its input is in Input
	Server   string          `json:"server_name"` // mcp_message
	Message  json.RawMessage `json:"message"`

	MCPServer *struct {
		Name   string `json:"name"`
		Source string `json:"source"`
	} `json:"mcp_server"`
}

// mcpLine is a JSON-RPC message of the agent's MCP client.
type mcpLine struct {
	request string // the agent's, that it came in

	Method string          `json:"method"`
	ID     json.RawMessage `json:"id"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Protocol  string          `json:"protocolVersion"`
		Meta      struct {
			Call string `json:"claudecode/toolUseId"`
		} `json:"_meta"`
		Canceled json.RawMessage `json:"requestId"` // notifications/cancelled
	} `json:"params"`
}

// hookInput is what a hook is told.
type hookInput struct {
	Tool      string          `json:"tool_name"`
	Input     json.RawMessage `json:"tool_input"`
	ToolUseID string          `json:"tool_use_id"`
	CWD       string          `json:"cwd"`
	Prompt    string          `json:"prompt"`
	LastWords string          `json:"last_assistant_message"`
	AgentID   string          `json:"agent_id"`
	Crons     []cron          `json:"session_crons"`
}

// cron is a time at which the agent will begin a turn by itself.
type cron struct {
	ID       string `json:"id"`
	Schedule string `json:"schedule"`
	Prompt   string `json:"prompt"`
}

// responseLine answers a request of ours, or echoes our answer to one of the
// agent's.
type responseLine struct {
	Response struct {
		Subtype   string          `json:"subtype"`
		RequestID string          `json:"request_id"`
		Error     string          `json:"error"`
		Response  json.RawMessage `json:"response"`
		Pending   []requestLine   `json:"pending_permission_requests"`
		Dialogs   []requestLine   `json:"pending_user_dialog_requests"`
	} `json:"response"`
}

type initReply struct {
	Version  string `json:"claude_code_version"`
	Mode     string `json:"current_permission_mode"`
	Commands []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Hint        string `json:"argumentHint"`
	} `json:"commands"`
	Models []struct {
		Value string `json:"value"`
		Label string `json:"displayName"`
	} `json:"models"`
}
