/** The oldest Node that has what the engines use. `bin/require-node.js` and package.json say the same. */
export const NODE_MAJOR_MIN = 24;
