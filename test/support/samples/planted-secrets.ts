/** Made-up secrets of many kinds, for tests: written in parts, so that no scanner takes this file for a leak. */
export interface Planted {
  readonly kind: string;
  /** What must not be found any more. */
  readonly secret: string;
  /** How it appears in a text. */
  readonly text: string;
}

const MIXED = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA5bC7dE9fG1hJ3kM5nP7qR9sT1uV3wX5yZ7";
const HEX = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";
const UPPER = "A2B3C4D5E6F7G2H3J4K5L6M7N2P3Q4R5S6T7U2V3W4X5Y6Z7A2B3C4D5E6";

export function plantedSecrets(): Planted[] {
  const plain: readonly (readonly [string, string])[] = [
    ["anthropic key", `sk-${"ant-api03-"}${MIXED}`],
    ["openrouter key", `sk-${"or-v1-"}${HEX}`],
    ["langfuse key", `sk-${"lf-"}${HEX.slice(0, 32)}`],
    ["openai key", `sk-${"proj-"}${MIXED}`],
    ["openai key", `sk-${MIXED.slice(0, 48)}`],
    ["google api key", `AI${"za"}${MIXED.slice(0, 35)}`],
    ["google oauth token", `ya${"29."}${MIXED}`],
    ["google refresh token", `1/${"/0"}${MIXED}`],
    ["google client secret", `GOC${"SPX-"}${MIXED.slice(0, 28)}`],
    ["aws access key", `AK${"IA"}${UPPER.slice(0, 16)}`],
    ["github token", `gh${"p_"}${MIXED.slice(0, 36)}`],
    ["github token", `gh${"s_"}${MIXED.slice(0, 36)}`],
    ["github token", `github${"_pat_"}${MIXED}`],
    ["gitlab token", `gl${"pat-"}${MIXED.slice(0, 20)}`],
    ["slack token", `xo${"xb-"}123456789012-${MIXED.slice(0, 24)}`],
    ["slack token", `xa${"pp-"}1-A012345-678-${HEX}`],
    ["slack webhook", `hooks.${"slack.com"}/services/T0000/B0000/${MIXED.slice(0, 24)}`],
    ["discord webhook", `discord.com/api/${"webhooks"}/123456789012345678/${MIXED}`],
    ["discord token", `${"MT"}${MIXED.slice(0, 24)}.Ga1b2C.${MIXED.slice(0, 38)}`],
    ["telegram token", `123456789:${"AA"}${MIXED.slice(0, 33)}`],
    ["stripe key", `sk_${"live_"}${MIXED.slice(0, 24)}`],
    ["stripe webhook secret", `wh${"sec_"}${MIXED.slice(0, 32)}`],
    ["elevenlabs key", `sk${"_"}${HEX.slice(0, 48)}`],
    ["npm token", `np${"m_"}${MIXED.slice(0, 36)}`],
    ["pypi token", `py${"pi-"}${MIXED}`],
    ["rubygems key", `ruby${"gems_"}${HEX.slice(0, 48)}`],
    ["docker token", `dckr${"_pat_"}${MIXED.slice(0, 27)}`],
    ["onepassword token", `ops_${"eyJ"}${MIXED}`],
    ["jwt", `${"eyJ"}hbGciOiJIUzI1NiJ9.${"eyJ"}zdWIiOiIxMjM0In0.${MIXED.slice(0, 43)}`],
    ["sendgrid key", `S${"G."}${MIXED.slice(0, 22)}.${MIXED.slice(0, 43)}`],
    ["twilio key", `S${"K"}${HEX.slice(0, 32)}`],
    ["mailgun key", `ke${"y-"}${HEX.slice(0, 32)}`],
    ["mailchimp key", `${HEX.slice(0, 32)}-${"us12"}`],
    ["digitalocean token", `dop${"_v1_"}${HEX}`],
    ["huggingface token", `h${"f_"}${MIXED.slice(0, 34)}`],
    ["replicate token", `r${"8_"}${MIXED.slice(0, 37)}`],
    ["groq key", `gs${"k_"}${MIXED.slice(0, 52)}`],
    ["xai key", `xa${"i-"}${MIXED}`],
    ["perplexity key", `ppl${"x-"}${MIXED.slice(0, 48)}`],
    ["nvidia key", `nvap${"i-"}${MIXED}`],
    ["langsmith key", `lsv2${"_pt_"}${HEX.slice(0, 32)}_${HEX.slice(0, 10)}`],
    ["tavily key", `tvl${"y-"}${MIXED.slice(0, 32)}`],
    ["shopify token", `shp${"at_"}${HEX.slice(0, 32)}`],
    ["square token", `sq0${"atp-"}${MIXED.slice(0, 22)}`],
    ["linear key", `lin${"_api_"}${MIXED.slice(0, 40)}`],
    ["notion token", `nt${"n_"}${MIXED.slice(0, 46)}`],
    ["airtable token", `pa${"t"}${MIXED.slice(0, 14)}.${HEX}`],
    ["databricks token", `dap${"i"}${HEX.slice(0, 32)}`],
    ["vault token", `hv${"s."}${MIXED}`],
    ["terraform token", `${MIXED.slice(0, 14)}.${"atlasv1"}.${MIXED}`],
    ["grafana token", `gl${"sa_"}${MIXED.slice(0, 41)}`],
    ["new relic key", `NR${"AK-"}${UPPER.slice(0, 27)}`],
    ["sentry token", `sn${"trys_"}${MIXED}`],
    ["postman key", `PM${"AK-"}${HEX.slice(0, 24)}-${HEX.slice(0, 34)}`],
    ["planetscale token", `pscale${"_tkn_"}${MIXED.slice(0, 43)}`],
    ["supabase key", `sb${"p_"}${HEX.slice(0, 40)}`],
    ["fly token", `fm${"2_"}${MIXED}`],
    ["atlassian token", `ATA${"TT3"}${MIXED}`],
    ["tailscale key", `tsk${"ey-auth-"}kA1b2C3d4E5f-${MIXED.slice(0, 32)}`],
    ["age secret key", `AGE-${"SECRET-KEY-1"}${UPPER}`],
    ["pulumi token", `pu${"l-"}${HEX.slice(0, 40)}`],
    ["figma token", `fig${"d_"}${MIXED.slice(0, 40)}`],
    ["doppler token", `dp.${"pt."}${MIXED.slice(0, 43)}`],
    ["dropbox token", `s${"l."}${MIXED}`],
    ["azure client secret", `aB3${"8Q~"}${MIXED.slice(0, 34)}`],
    ["twitter token", `${"A".repeat(22)}${MIXED}`],
  ];
  const password = "xK9-qq2_Lmv7";
  const pem = `-----BEGIN ${"OPENSSH PRIVATE"} KEY-----\n${MIXED}\n${MIXED}\n-----END ${"OPENSSH PRIVATE"} KEY-----`;
  return [
    ...plain.map(([kind, secret]) => ({ kind, secret, text: secret })),
    { kind: "private key", secret: MIXED, text: pem },
    ...within("aws secret key", MIXED.slice(0, 40), (secret) => `aws_secret_access_key = ${secret}`),
    ...within(
      "azure storage key",
      `${MIXED}${MIXED.slice(0, 18)}==`,
      (key) => `AccountName=a;AccountKey=${key}`,
    ),
    ...within("signed url", HEX, (secret) => `https://s3.example/a.txt?X-Amz-Signature=${secret}&x=1`),
    ...within("url password", password, (secret) => `https://app:${secret}@db.example/x`),
    ...within("url token", MIXED.slice(0, 40), (secret) => `https://${secret}@git.example/x.git`),
    ...within("authorization", "dXNlcjpodW50ZXIy", (secret) => `Authorization: Basic ${secret}`),
    ...within("bearer token", MIXED.slice(0, 30), (secret) => `curl -H Bearer ${secret} x`),
    ...within("cookie", `sid=${MIXED}`, (secret) => `Cookie: ${secret}`),
    ...within("secret", password, (secret) => `PASSWORD=${secret}`),
    ...within("secret", password, (secret) => `client_secret: ${secret}`),
    ...within("secret", password, (secret) => `deploy --auth-token ${secret} now`),
  ];
}

function within(kind: string, secret: string, sentence: (secret: string) => string): Planted[] {
  return [{ kind, secret, text: sentence(secret) }];
}
