import { describe, expect, it } from "vitest";
import { processorMs } from "../../test/support/processes/processor-time.ts";
import { plantedSecrets } from "../../test/support/samples/planted-secrets.ts";
import { isSecretProperty, redactSecrets } from "./redact-secrets.ts";

describe("redactSecrets", () => {
  it.each(plantedSecrets())("takes out $kind", ({ kind, secret, text }) => {
    for (const sentence of [text, `Here: ${text}.`, `{"log":${JSON.stringify(`a\n${text}\nb`)}}`]) {
      const redacted = redactSecrets(sentence);
      expect(redacted.text).not.toContain(secret);
      expect(redacted.text).toContain(`[redacted: ${kind}]`);
      expect(redacted.count).toBe(1);
    }
  });

  it("knows more than thirty kinds", () => {
    expect(new Set(plantedSecrets().map(({ kind }) => kind)).size).toBeGreaterThan(30);
  });

  it.each([
    "The task-anthology-2024-long-chapter-name is in scikit-learn, not in sk-learn-some-other-long-package-name.",
    "max_tokens=100000 and token: undefined, password: string, secret = config.secret.value",
    "password=$\u007bDB_PASSWORD} token=process.env.GITHUB_TOKEN_2 api_key: $API_KEY secret: <your-secret-here>",
    "https://example.org/a:b@c and mail me@example.org at 12:30:45 on 2026-11-15T06:35:15.718Z",
    "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904, id 0198c0de-1111-7222-8333-444455556666",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
    "Bearer of bad news and a bearer token are different things; eyJ is how a JWT starts",
    "tokens_before: 12345678, tokenizer: cl100k_base, passwordless login",
  ])("leaves alone: %s", (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });

  it("takes out values that are named, also inside of JSON, URLs and Base64, the longest first", () => {
    const value = 'we"ird / päss';
    const text = [
      value,
      JSON.stringify({ value }),
      encodeURIComponent(value),
      Buffer.from(value).toString("base64"),
    ];
    const redacted = redactSecrets(text.join("\n"), ["we", "weird", value, value.slice(0, 5)]);
    expect(redacted.text).not.toMatch(/ird|p%C3|d2U/);
    expect(redacted.count).toBe(4);
    expect(redactSecrets("abc", ["", "abc"]).text).toBe("abc");
  });

  it("keeps the text around a secret", () => {
    expect(redactSecrets("postgres://app:s3cr3t-Pa55@db.example:5432/main").text).toBe(
      "postgres://app:[redacted: url password]@db.example:5432/main",
    );
    expect(redactSecrets('{"api_key": "q8Zr2LmX0vTn", "n": 1}').text).toBe(
      '{"api_key": "[redacted: secret]", "n": 1}',
    );
  });

  it("removes a private key whose end is missing, and continues after it", () => {
    const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQDAbCdEfGhIjKl";
    const cut = redactSecrets(`-----BEGIN RSA PRIVATE KEY-----\n${body}\n\nAnd then it stopped. -----END it`);
    expect(cut.text).toBe("[redacted: private key]\n\nAnd then it stopped. -----END it");
    const escaped = JSON.stringify(`-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`);
    expect(redactSecrets(escaped).text).toBe('"[redacted: private key]\\n"');
  });

  it("recognises properties that hold a secret by their name", () => {
    expect(isSecretProperty("DB_PASSWORD", "xK9-qq2-Lmv")).toBe(true);
    expect(isSecretProperty("title", "xK9-qq2-Lmv")).toBe(false);
    expect(isSecretProperty("tokens", "several words")).toBe(false);
  });

  it.each([
    ["begins without an end", "-----BEGIN PRIVATE KEY-----\u0001"],
    ["begins with a late end", "-----BEGIN PRIVATE KEY-----abcdefghijklmnopqrst\n"],
    ["starts of a JWT", "eyJ"],
    ["segments of a JWT", "eyJabcdefgh."],
    ["names", "token"],
    ["assignments of nothing", "password: "],
    ["schemes", "://a:"],
    ["colons", ":"],
    ["headers", "authorization: bearer "],
    ["cookies", "cookie:a"],
    ["AWS", "aws secret "],
    ["prefixes", "sk-ant-sk-or-ghp_xoxb-"],
    ["options", "--token-token"],
    ["dots", "MAAAAAAAAAAAAAAAAAAAAAAAAA.AAAAAA."],
    ["hexadecimal digits", "0123456789abcdef"],
    ["at signs", "://a:@@@@"],
    ["tildes", "a~.1Q~"],
  ])("takes time in proportion to a hostile text: %s", async (_, piece) => {
    const hostile = (bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length));
    const text = `${hostile(1_000_000)}-----END`;
    expect(await processorMs(() => redactSecrets(text))).toBeLessThan(3000);
  });
});
