/**
 * The order in which a document that holds a whole tree is added.
 *
 * The path that the source shows comes first, so that it becomes `main`. The
 * other subtrees follow, oldest first, each with parents before children. No
 * node is left out: one whose parent is missing begins a separate subtree,
 * and so does one node of each cycle. Nothing here recurses, because sources
 * have conversations that are thousands of messages deep.
 */
export interface TreeNode {
  readonly id: string;
  /** As the source names it, whether it is there or not. */
  readonly parent: string | null;
  /** Epoch milliseconds. */
  readonly at: number | undefined;
}

export function wholeTree<Node extends TreeNode>(nodes: readonly Node[], leaf: string | undefined): Node[] {
  const byId = firstById(nodes);
  const active = new Set(pathTo(byId, leaf));
  const placed = new Set(active);
  const children = childrenOf(nodes, byId);
  const begins = (node: Node): boolean => {
    const parent = parentIn(byId, node);
    return parent === undefined || active.has(parent);
  };
  const sorted = oldestFirst(nodes);
  for (const node of sorted) if (begins(node)) placeSubtree(node, children, placed);
  // Only cycles are left, and the nodes below them.
  for (const node of sorted) {
    if (!placed.has(node)) placeSubtree(onCycle(byId, node), children, placed);
  }
  return [...placed];
}

/** The node that the source shows last, or the last node of the newest path, which is the likely one. */
export function shownLeaf(nodes: readonly TreeNode[], named: string | null | undefined): string | undefined {
  return nodes.find(({ id }) => id === named)?.id ?? newestLeaf(nodes);
}

function newestLeaf(nodes: readonly TreeNode[]): string | undefined {
  const parents = new Set(nodes.filter(({ id, parent }) => parent !== id).map(({ parent }) => parent));
  let newest: TreeNode | undefined;
  for (const node of nodes) {
    if (!parents.has(node.id) && (node.at ?? 0) >= (newest?.at ?? 0)) newest = node;
  }
  return (newest ?? nodes.at(-1))?.id;
}

/** A repeated id means the first node that has it. */
function firstById<Node extends TreeNode>(nodes: readonly Node[]): ReadonlyMap<string, Node> {
  const byId = new Map<string, Node>();
  for (const node of nodes) if (!byId.has(node.id)) byId.set(node.id, node);
  return byId;
}

function parentIn<Node extends TreeNode>(byId: ReadonlyMap<string, Node>, node: Node): Node | undefined {
  return node.parent === null ? undefined : byId.get(node.parent);
}

function pathTo<Node extends TreeNode>(byId: ReadonlyMap<string, Node>, leaf: string | undefined): Node[] {
  const path = new Set<Node>();
  let node = leaf === undefined ? undefined : byId.get(leaf);
  while (node !== undefined && !path.has(node)) {
    path.add(node);
    node = parentIn(byId, node);
  }
  return [...path].reverse();
}

function childrenOf<Node extends TreeNode>(
  nodes: readonly Node[],
  byId: ReadonlyMap<string, Node>,
): ReadonlyMap<Node, readonly Node[]> {
  const children = new Map<Node, Node[]>();
  for (const node of oldestFirst(nodes)) {
    const parent = parentIn(byId, node);
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [node]);
    else siblings.push(node);
  }
  return children;
}

/** Nodes without a time come first, in the order of the source: mostly a root or a prompt. */
function oldestFirst<Node extends TreeNode>(nodes: readonly Node[]): Node[] {
  return nodes.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

function placeSubtree<Node>(
  start: Node,
  children: ReadonlyMap<Node, readonly Node[]>,
  placed: Set<Node>,
): void {
  const waiting = [start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (placed.has(node)) continue;
    placed.add(node);
    // Taken from the end, so that the oldest child comes next.
    for (const child of (children.get(node) ?? []).toReversed()) waiting.push(child);
  }
}

/** Upwards from a node that hangs from a cycle: the first node that comes twice is part of it. */
function onCycle<Node extends TreeNode>(byId: ReadonlyMap<string, Node>, start: Node): Node {
  const seen = new Set<Node>();
  let node = start;
  while (!seen.has(node)) {
    seen.add(node);
    node = parentIn(byId, node) ?? node;
  }
  return node;
}
