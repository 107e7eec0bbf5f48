package wire

// SafeMethod reports whether running a request twice changes nothing, by its
// method alone. What a tool does is not known here.
func SafeMethod(method string) bool {
	switch method {
	case "initialize", "server/discover", "ping", "tools/list", "resources/list", "resources/templates/list",
		"resources/read", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
		"tasks/get", "tasks/result", "tasks/cancel", "tasks/update", "tasks/continue":
		return true
	}
	return false
}
