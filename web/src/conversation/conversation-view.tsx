import type { JSX } from "preact";

export interface ConversationViewProps {
  readonly id: string;
  readonly entry: string | null;
}

export function ConversationView({ id }: ConversationViewProps): JSX.Element {
  return <p>{id}</p>;
}
