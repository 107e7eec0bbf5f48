/** The operation that the errors of connecting to an agent name. */
export const OP = "connectAgent";
