import type { JSX } from "preact";
import { FirstSteps } from "../app/first-steps.tsx";
import { useCell } from "../state/cell.ts";
import { Button } from "../ui/button.tsx";
import { FixedList } from "../ui/list/fixed-list.tsx";
import { Empty, End, Failure, Skeleton } from "../ui/list/states.tsx";
import { exactCount } from "../ui/values/count.tsx";
import type { Conversations } from "./conversations.ts";
import { clearFilters } from "./filters.ts";
import { Row } from "./row.tsx";

const ROW_HEIGHT = 56;

export interface ConversationRowsProps {
  readonly list: Conversations;
  readonly openId: string | null;
}

export function ConversationRows({ list, openId }: ConversationRowsProps): JSX.Element {
  const { items, cursor, loading, error } = useCell(list.state);
  if (items.length === 0) {
    if (error !== undefined)
      return <Failure what="Conversations could not be read" error={error} onRetry={list.reload} />;
    if (loading) return <div class="grow">{<Skeleton lines={18} />}</div>;
    return (
      <div class="grow">
        {!list.isFiltered && <FirstSteps />}
        <Empty title={list.isFiltered ? "No conversation matches" : "No conversations"}>
          {list.isFiltered ? (
            <Button onClick={clearFilters}>Remove all filters</Button>
          ) : (
            <p>What you import, and every chat, is listed here.</p>
          )}
        </Empty>
      </div>
    );
  }
  return (
    <FixedList
      name="Conversations"
      items={items}
      rowHeight={ROW_HEIGHT}
      keyOf={({ id }) => id}
      chosen={items.findIndex(({ id }) => id === openId)}
      row={(item) => <Row item={item} isOpen={item.id === openId} />}
      onNearEnd={list.more}
      foot={
        error !== undefined ? (
          <Failure what="The next conversations could not be read" error={error} onRetry={list.reload} />
        ) : cursor === null ? (
          <End>{items.length === 1 ? "1 conversation" : `${exactCount(items.length)} conversations`}</End>
        ) : (
          <Skeleton />
        )
      }
    />
  );
}
