/** How long calls that never wait may keep the event loop from turning. */
const TURN_MS = 4;

interface LoopTurn {
  readonly beganMs: number;
  /** Resolves once timers, sockets and signals had their turn. */
  readonly next: Promise<void>;
}

let turn: LoopTurn | undefined;

/**
 * The next turn of the event loop if this one has lasted too long, otherwise `undefined`.
 *
 * The engines are synchronous, so a row of awaited calls resolves in microtasks
 * only, and no timer, socket or signal of the process would run before its end.
 * Everyone who waits continues together, so that writes still share a commit.
 */
export function nextLoopTurn(): Promise<void> | undefined {
  turn ??= beginTurn();
  return performance.now() - turn.beganMs < TURN_MS ? undefined : turn.next;
}

/** It begins with the first call in it: time that the process spent idle does not count. */
function beginTurn(): LoopTurn {
  const next = new Promise<void>((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return { beganMs: performance.now(), next };
}
