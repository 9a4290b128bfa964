import { expect, it } from "vitest";
import { conversationIdOf } from "./ids.ts";

it("an imported conversation always has the same id, so that another import finds it", () => {
  expect(conversationIdOf("chatgpt", "abc")).toBe("74bab88d-c60b-8dc7-b9b3-c06e8fcb4ad5");
});
