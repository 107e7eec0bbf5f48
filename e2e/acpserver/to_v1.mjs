// What an update of ACP v2 is in v1: none, one or more updates. States are none,
// the prompt's answer says how a turn ended; terminals are none, because in v1
// they belong to the client.

const rest = ({ sessionUpdate: _, ...fields }) => fields;
const messages = {
    user_message: 'user_message_chunk', agent_message: 'agent_message_chunk', agent_thought: 'agent_thought_chunk',
};
const same = new Set([
    'user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk', 'session_info_update', 'usage_update', 'notice',
    'compaction_update', 'compaction_summary_chunk',
]);

function content(item) {
    switch (item.type) {
        case 'content': return [item];
        case 'diff': return item.changes.map(({ path }) => ({ type: 'diff', path, oldText: 'one\n', newText: 'two\n' }));
        default: return [];
    }
}

// toV1 keeps the tool calls that the client knows in known: their first update
// is a tool_call in v1.
export function toV1(update, known) {
    const kind = update.sessionUpdate;
    if (same.has(kind)) {
        return [update];
    }
    if (messages[kind]) {
        return (update.content ?? []).map(block => ({ sessionUpdate: messages[kind], messageId: update.messageId, content: block }));
    }
    switch (kind) {
        case 'tool_call_update': {
            const { capabilities: _, ...fields } = rest(update);
            fields.status = fields.status === 'cancelled' ? 'failed' : fields.status;
            if (known.has(update.toolCallId)) {
                return [{ sessionUpdate: 'tool_call_update', ...fields }];
            }
            known.add(update.toolCallId);
            return [{ sessionUpdate: 'tool_call', title: 'A tool', ...fields }];
        }
        case 'tool_call_content_chunk': {
            const items = content(update.content);
            return items.length ? [{ sessionUpdate: 'tool_call_update', toolCallId: update.toolCallId, content: items }] : [];
        }
        case 'plan_update': return [{ sessionUpdate: 'plan', entries: update.plan.entries }];
        case 'available_commands_update':
            return [{ sessionUpdate: kind, availableCommands: update.availableCommands.map(commandToV1) }];
        case 'config_option_update': return [{ sessionUpdate: kind, configOptions: update.configOptions.map(optionToV1) }];
        default: return [];
    }
}

const commandToV1 = ({ type: _, ...command }) => ({ ...command, input: command.input && { hint: command.input.hint } });

export const optionToV1 = ({ configId, ...option }) => ({ id: configId, ...option });
