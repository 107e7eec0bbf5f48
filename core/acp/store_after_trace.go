package acp

// After names what goes on once the commit of a ticket is stored, for traces.
func (c *Client) After(ticket uint32) []string { return c.writer.After(ticket) }

// After names it for traces.
func (w *promptSending) After() string { return "send prompt" }

// After names it for traces.
func (w *connectionEnd) After() string { return "end connection" }

// After names it for traces.
func (w *answerSending) After() string { return "answer" }

// After names it for traces.
func (w *servedAnswer) After() string { return "answer another tab" }
