/** Every key of the page. A test compares it with the keys that are bound. */
export interface KeyGroup {
  readonly name: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}

export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    name: "Everywhere",
    keys: [
      ["/", "Search"],
      ["mod-k", "Search"],
      ["J", "Next conversation"],
      ["K", "Previous conversation"],
      ["n", "New conversation"],
      ["c", "Write"],
      ["?", "This list"],
    ],
  },
  {
    name: "In a conversation",
    keys: [
      ["j", "Next message"],
      ["k", "Previous message"],
      ["o", "Open or fold what is in a message"],
      ["e", "Edit as a branch"],
      ["b", "Branch here"],
      ["Home", "To the first message"],
      ["End", "To the latest message"],
      ["g t", "Tree"],
      ["g c", "Context"],
      ["Escape", "Close the tree or the context"],
    ],
  },
];

/** Handled where the focus is, not everywhere. */
export const LOCAL_KEYS: readonly KeyGroup[] = [
  {
    name: "While writing",
    keys: [
      ["Enter", "Send"],
      ["Shift-Enter", "New line"],
    ],
  },
  {
    name: "In the tree",
    keys: [
      ["↑ ↓", "Move"],
      ["← →", "To the parent, to the first child"],
      ["Enter", "Check out"],
      ["c", "Compare with the checked-out branch"],
    ],
  },
];
