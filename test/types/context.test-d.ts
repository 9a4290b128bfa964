/** The result of `context` depends on `as`. Checked by the compiler; nothing here runs. */
import type { Conversation, Ledger } from "../../src/index.ts";
import type {
  AiSdkMessage,
  AnthropicMessage,
  AnthropicTextBlock,
  Block,
  ModelApi,
  OpenAIChatMessage,
  ResponsesItem,
} from "../../src/message/index.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_Fact extends true>(): void {}

export async function types(chat: Conversation, api: ModelApi): Promise<void> {
  const plain = await chat.context({ maxTokens: 8192 });
  holds<Same<keyof (typeof plain.messages)[number], "role" | "content">>();
  holds<Same<(typeof plain.messages)[number]["content"], string | readonly Block[]>>();
  holds<Same<typeof plain.ledger, Ledger>>();
  holds<Same<typeof plain.tokens, number>>();

  const anthropic = await chat.context({ maxTokens: 8192, as: "anthropic" });
  holds<Same<typeof anthropic.messages, AnthropicMessage[]>>();
  holds<Same<typeof anthropic.system, string | AnthropicTextBlock[] | undefined>>();
  holds<Same<typeof anthropic.ledger, Ledger>>();

  const openai = await chat.context({ maxTokens: 8192, as: "openai" });
  holds<Same<typeof openai.messages, OpenAIChatMessage[]>>();
  // @ts-expect-error The system prompt is the first message.
  openai.system;

  const responses = await chat.context({ maxTokens: 8192, as: "openai-responses" });
  holds<Same<typeof responses.input, ResponsesItem[]>>();
  holds<Same<typeof responses.instructions, string | undefined>>();
  // @ts-expect-error The Responses API calls its messages `input`.
  responses.messages;

  const sdk = await chat.context({ maxTokens: 8192, as: "ai-sdk" });
  holds<Same<typeof sdk.messages, AiSdkMessage[]>>();
  holds<Same<typeof sdk.system, string | undefined>>();

  const any = await chat.context({ maxTokens: 8192, as: api });
  if ("input" in any) holds<Same<typeof any.input, ResponsesItem[]>>();
  else holds<Same<(typeof any.messages)[number]["role"], "system" | "user" | "assistant" | "tool">>();

  // @ts-expect-error Not an API.
  await chat.context({ maxTokens: 8192, as: "telegraph" });
  // @ts-expect-error The size of the window is required.
  await chat.context({ as: "anthropic" });
}
