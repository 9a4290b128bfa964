import { expect, it } from "vitest";

it("compares a string with a regular expression in an expected object", () => {
  expect(new Error("disk is full")).toMatchObject({ message: /full/ });
  expect(new Error("disk is full")).not.toMatchObject({ message: /empty/ });
  expect([{ text: "full" }]).toEqual([{ text: /^full$/ }]);
});
