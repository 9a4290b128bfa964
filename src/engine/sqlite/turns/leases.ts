import type { Liveness } from "../../../disk/liveness.ts";
import { damagedLease, decideLease, type LeaseState, NO_LEASE } from "../../leases.ts";
import type { LeaseGrant, LeaseOperation } from "../../operations.ts";
import { parsed } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** Who may run a conversation. Decided inside a transaction, so by one process at a time. */
export class Leases {
  readonly #sql: Statements;
  readonly #liveness: Liveness;

  constructor(sql: Statements, liveness: Liveness) {
    this.#sql = sql;
    this.#liveness = liveness;
  }

  state(conversation: number): LeaseState {
    const row = this.#sql.lease.get(conversation);
    if (row === undefined) return NO_LEASE;
    return (parsed(row[0] as string) as LeaseState | undefined) ?? damagedLease(Date.now());
  }

  decide(conversation: number, operation: LeaseOperation): LeaseGrant {
    // Other processes must be able to see that this one is alive before it holds the lease or waits for it.
    if (operation.action === "acquire") this.#liveness.announce();
    const before = this.state(conversation);
    const { state, lease } = decideLease(before, operation, this.#liveness);
    if (state !== before) this.#sql.setLease.run(conversation, JSON.stringify(state));
    return lease;
  }
}
