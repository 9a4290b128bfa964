import { describe, expect, it } from "vitest";
import type { Message } from "../types.ts";
import { toRequest } from "./index.ts";

const PNG = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
const PDF = { type: "base64", media_type: "application/pdf", data: "JVBERi0=" };

const MESSAGES: Message[] = [
  { role: "system", content: "You are a librarian." },
  {
    role: "user",
    content: [
      { type: "text", text: "Compare these." },
      { type: "image", source: PNG },
      { type: "document", source: PDF, title: "report.pdf" },
    ],
  },
  {
    role: "assistant",
    model: "claude-sonnet-4-5",
    usage: { output_tokens: 40 },
    content: [
      { type: "thinking", thinking: "I need the file.", signature: "c2ln" },
      { type: "text", text: "Reading." },
      { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.txt" } },
      { type: "tool_use", id: "toolu_2", name: "screenshot", input: {} },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_1", content: "not found", is_error: true },
      {
        type: "tool_result",
        tool_use_id: "toolu_2",
        content: [
          { type: "text", text: "the screen" },
          { type: "image", source: PNG },
        ],
      },
    ],
  },
  { role: "user", content: "Never mind." },
  { role: "system", content: "Earlier conversation summary: none" },
  { role: "assistant", content: "Done. " },
];
const IMAGE_URL = `data:image/png;base64,${PNG.data}`;
const PDF_URL = `data:application/pdf;base64,${PDF.data}`;

describe("a request", () => {
  it("to Anthropic has its system text apart and roles that alternate", () => {
    const { system, messages } = toRequest("anthropic", MESSAGES, "Be brief.");
    expect(system).toBe("Be brief.\n\nYou are a librarian.");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(messages[0]?.content).toEqual(MESSAGES[1]?.content);
    expect(messages[1]).toEqual({ role: "assistant", content: MESSAGES[2]?.content });
    expect(messages[2]?.content).toEqual([
      ...((MESSAGES[3] as Message).content as object[]),
      { type: "text", text: "Never mind." },
      { type: "text", text: "Earlier conversation summary: none" },
    ]);
    expect(messages[3]?.content).toBe("Done.");
  });

  it("to Chat Completions has its system prompt first and a message for every result", () => {
    const { messages } = toRequest("openai", MESSAGES, "Be brief.");
    expect(messages.map(({ role }) => role).join(" ")).toBe(
      "system system user assistant tool tool user user system assistant",
    );
    expect(messages[0]).toEqual({ role: "system", content: "Be brief." });
    expect(messages[3]).toMatchObject({
      content: "Reading.",
      tool_calls: [
        { id: "toolu_1", type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } },
        { id: "toolu_2", type: "function", function: { name: "screenshot", arguments: "{}" } },
      ],
    });
    expect(messages[4]).toEqual({ role: "tool", tool_call_id: "toolu_1", content: "not found" });
    expect(messages[6]).toEqual({
      role: "user",
      content: [{ type: "image_url", image_url: { url: IMAGE_URL } }],
    });
  });

  it("to the Responses API is a list of items with instructions beside it", () => {
    expect(toRequest("openai-responses", MESSAGES, "Be brief.")).toEqual({
      instructions: "Be brief.\n\nYou are a librarian.",
      input: [
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: "Compare these." },
            { type: "input_image", image_url: IMAGE_URL, detail: "auto" },
            { type: "input_file", filename: "report.pdf", file_data: PDF_URL },
          ],
        },
        { type: "message", role: "assistant", content: "Reading." },
        { type: "function_call", call_id: "toolu_1", name: "read", arguments: '{"path":"a.txt"}' },
        { type: "function_call", call_id: "toolu_2", name: "screenshot", arguments: "{}" },
        { type: "function_call_output", call_id: "toolu_1", output: "not found" },
        {
          type: "function_call_output",
          call_id: "toolu_2",
          output: [
            { type: "input_text", text: "the screen" },
            { type: "input_image", image_url: IMAGE_URL, detail: "auto" },
          ],
        },
        { type: "message", role: "user", content: "Never mind." },
        { type: "message", role: "system", content: "Earlier conversation summary: none" },
        { type: "message", role: "assistant", content: "Done. " },
      ],
    });
  });

  it("to the AI SDK has model messages, with the tool's name beside each result", () => {
    expect(toRequest("ai-sdk", MESSAGES)).toEqual({
      system: "You are a librarian.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Compare these." },
            { type: "file", data: PNG.data, mediaType: "image/png" },
            { type: "file", data: PDF.data, mediaType: "application/pdf", filename: "report.pdf" },
          ],
        },
        {
          role: "assistant",
          content: [
            {
              type: "reasoning",
              text: "I need the file.",
              providerOptions: { anthropic: { signature: "c2ln" } },
            },
            { type: "text", text: "Reading." },
            { type: "tool-call", toolCallId: "toolu_1", toolName: "read", input: { path: "a.txt" } },
            { type: "tool-call", toolCallId: "toolu_2", toolName: "screenshot", input: {} },
          ],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "toolu_1",
              toolName: "read",
              output: { type: "error-text", value: "not found" },
            },
            {
              type: "tool-result",
              toolCallId: "toolu_2",
              toolName: "screenshot",
              output: {
                type: "content",
                value: [
                  { type: "text", text: "the screen" },
                  { type: "media", data: PNG.data, mediaType: "image/png" },
                ],
              },
            },
          ],
        },
        { role: "user", content: "Never mind." },
        { role: "user", content: "Earlier conversation summary: none" },
        { role: "assistant", content: "Done. " },
      ],
    });
  });

  it("without a system prompt has no property for one", () => {
    const question: Message[] = [{ role: "user", content: "Hello" }];
    expect(toRequest("anthropic", question)).toEqual({ messages: question });
    expect(toRequest("openai", question)).toEqual({ messages: question });
    expect(Object.keys(toRequest("openai-responses", question))).toEqual(["input"]);
    expect(Object.keys(toRequest("ai-sdk", question))).toEqual(["messages"]);
  });

  it("to Anthropic keeps a system prompt of blocks, which may be marked for the cache", () => {
    const prompt = [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }];
    const { system } = toRequest("anthropic", MESSAGES.slice(0, 2), prompt);
    expect(system).toEqual([...prompt, { type: "text", text: "You are a librarian." }]);
    expect(toRequest("openai", [], prompt).messages).toEqual([{ role: "system", content: "Be brief." }]);
  });

  it("has no thinking that another provider than Anthropic sealed", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "x", provider: "openai", id: "rs_1" };
    const answer: Message = { role: "assistant", content: [thinking, { type: "text", text: "Yes" }] };
    for (const api of ["anthropic", "ai-sdk"] as const) {
      expect(JSON.stringify(toRequest(api, [answer]))).not.toContain("hm");
    }
  });

  it("to Anthropic has no sealed thinking of another provider, and no property that the API does not know", () => {
    const content = [
      { type: "redacted_thinking", data: "gAAAA" },
      { type: "thinking", thinking: "hm", signature: "x" },
      { type: "voice_note", title: "a note" },
      { type: "tool_use", id: "c1", name: "shell.run", input: {}, arguments: "{" },
    ];
    const { messages } = toRequest("anthropic", [
      { role: "user", content: "Go" },
      { role: "assistant", model: "gpt-5", content },
    ]);
    expect(messages[1]?.content).toEqual([{ type: "tool_use", id: "c1", name: "shell_run", input: {} }]);
  });

  it("to Anthropic names media that the API does not take", () => {
    const content = [
      { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "PHN2Zz4=" } },
      { type: "document", source: { type: "base64", media_type: "application/zip", data: "UEs=" } },
    ];
    expect(toRequest("anthropic", [{ role: "user", content }]).messages[0]?.content).toEqual([
      { type: "text", text: "[image]" },
      { type: "text", text: "[document]" },
    ]);
  });

  it("has the text of documents, in whatever form it is, and of a call that failed only text", () => {
    const data = Buffer.from("# Notes").toString("base64");
    const notes = { type: "document", source: { type: "base64", media_type: "text/markdown", data } };
    const parts = {
      type: "document",
      source: { type: "content", content: [{ type: "text", text: "In parts" }] },
    };
    const result = {
      type: "tool_result",
      tool_use_id: "c",
      is_error: true,
      content: [{ type: "image", source: PNG }, notes],
    };
    const list: Message[] = [
      { role: "user", content: [notes, parts] },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "read", input: {} }] },
      { role: "user", content: [result] },
    ];
    const [said, , failed] = toRequest("anthropic", list).messages;
    const source = { type: "text", media_type: "text/plain", data: "# Notes" };
    expect(said?.content).toEqual([{ type: "document", source }, parts]);
    expect(failed?.content).toMatchObject([{ content: "[image]\n# Notes", is_error: true }]);
    for (const api of ["openai-responses", "ai-sdk"] as const) {
      const sent = JSON.stringify(toRequest(api, list));
      expect(sent).toContain("In parts");
      expect(sent.match(/# Notes/g)).toHaveLength(2);
    }
  });

  it("has call ids that the API accepts, the same for call and result", () => {
    const id = `read-${"9".repeat(80)}`;
    const pair: Message[] = [
      { role: "user", content: "Go" },
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
    ];
    const [, call, result] = toRequest("openai", pair).messages;
    const sentId = call?.role === "assistant" ? call.tool_calls?.[0]?.id : undefined;
    expect(sentId).toMatch(/^read-9+_[0-9a-f]{8}$/);
    expect(sentId).toHaveLength(40);
    expect(result).toMatchObject({ tool_call_id: sentId });
    const [, sent, output] = toRequest("openai-responses", pair).input;
    expect(sent).toMatchObject({ call_id: expect.stringMatching(/^.{64}$/) });
    expect(output).toMatchObject({ call_id: (sent as { call_id: string }).call_id });
  });

  it("to Chat Completions has media of an answer after the results of its calls", () => {
    const { messages } = toRequest("openai", [
      { role: "user", content: "Draw" },
      {
        role: "assistant",
        content: [
          { type: "image", source: PNG },
          { type: "tool_use", id: "c1", name: "save", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "saved" }] },
    ]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  it.each(["anthropic", "openai", "openai-responses", "ai-sdk"] as const)(
    "to %s never has a message without content",
    (api) => {
      const text = JSON.stringify(
        toRequest(api, [
          { role: "user", content: [{ type: "input_audio", input_audio: {} }] },
          { role: "assistant", content: [{ type: "thinking", thinking: "hm" }] },
        ]),
      );
      expect(text).not.toMatch(/"content":(?:\[\]|""|null)/);
      expect(text).toContain("[thinking]");
    },
  );
});
