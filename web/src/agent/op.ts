/** What the errors of connecting to an agent name as their operation. */
export const OP = "connectAgent";
