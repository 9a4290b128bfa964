/**
 * The shapes of secrets, one line for each kind.
 *
 * Every pattern runs in time linear in the text, whatever the text is: it
 * starts with fixed characters after a boundary, so that one run of characters
 * is tried once, and repetitions between fixed parts are bounded.
 */

export interface SecretPattern {
  readonly kind: string;
  /** Every match contains one of these. They are searched first, because most texts have none. */
  readonly hints: readonly string[];
  /** Global. Removes the named group `secret` where there is one, otherwise the whole match. */
  readonly pattern: RegExp;
}

/** Not in the middle of a word: `task-ant-…` is not a key. A line break may be written as `\\n`. */
const START = "(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt]))";

function token(kind: string, hint: string | readonly string[], body: string, flags = "g"): SecretPattern {
  const hints = typeof hint === "string" ? [hint] : hint;
  return { kind, hints, pattern: new RegExp(START + body, flags) };
}

const WORD = "[A-Za-z0-9_-]";

/** Order matters: specific patterns come before those that would match a part of them. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  token("anthropic-key", "sk-ant-", `sk-ant-${WORD}{16,}`),
  token("openrouter-key", "sk-or-", `sk-or-${WORD}{16,}`),
  token("langfuse-key", "sk-lf-", `sk-lf-${WORD}{16,}`),
  token("openai-key", "sk-", `sk-(?=[A-Za-z_-]{0,40}[0-9])${WORD}{20,}`),
  // Of our own gateway: access, refresh, link, ticket, device.
  token("colloquy-token", ["cqt_", "cqr_", "cql_", "cqw_", "cqd_"], "cq[trlwd]_[A-Za-z0-9_-]{20,}"),
  token("google-api-key", "AIza", "AIza[A-Za-z0-9_-]{35}"),
  token("google-oauth-token", "ya29.", "ya29\\.[A-Za-z0-9_-]{20,}"),
  token("google-refresh-token", "1//", "1//0[A-Za-z0-9_-]{25,}"),
  token("google-client-secret", "GOCSPX-", "GOCSPX-[A-Za-z0-9_-]{20,}"),
  token(
    "aws-access-key",
    ["AKIA", "ASIA", "ABIA", "ACCA", "AIDA", "AROA"],
    "(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA)[A-Z2-7]{16}(?![A-Za-z0-9])",
  ),
  {
    kind: "aws-secret-key",
    hints: ["ecret", "ECRET"],
    pattern:
      /aws.{0,20}?secret.{0,24}?["'=:\s](?<secret>(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
  },
  token("github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], "gh[pousr]_[A-Za-z0-9]{30,}"),
  token("github-token", "github_pat_", "github_pat_[A-Za-z0-9_]{22,}"),
  token(
    "gitlab-token",
    ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glagent-", "glsoat-"],
    `gl(?:pat|dt|rt|cbt|ptt|ft|agent|soat)-${WORD}{16,}`,
  ),
  token("slack-token", ["xox", "xoxe."], "(?:xoxe\\.)?xox[abceoprs]-[A-Za-z0-9-]{10,}"),
  token("slack-token", "xapp-", "xapp-[A-Za-z0-9-]{20,}"),
  token(
    "slack-webhook",
    "hooks.slack.com",
    "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}",
  ),
  token(
    "discord-webhook",
    "/api/webhooks/",
    "discord(?:app)?\\.com/api/webhooks/\\d{5,20}/[A-Za-z0-9_-]{30,}",
  ),
  token(
    "discord-token",
    ".",
    "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,50}(?![A-Za-z0-9_-])",
  ),
  token("telegram-token", ":", "(?:bot)?\\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
  token("stripe-key", ["sk_", "rk_", "pk_"], "[srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
  token("stripe-webhook-secret", "whsec_", "whsec_[A-Za-z0-9+/=]{20,}"),
  token("elevenlabs-key", "sk_", "sk_[0-9a-f]{48}"),
  token("npm-token", "npm_", "npm_[A-Za-z0-9]{30,}"),
  token("pypi-token", "pypi-", "pypi-[A-Za-z0-9_-]{50,}"),
  token("rubygems-key", "rubygems_", "rubygems_[0-9a-f]{32,}"),
  token("docker-token", "dckr_", "dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
  token("onepassword-token", "ops_eyJ", "ops_eyJ[A-Za-z0-9_=-]{40,}"),
  token("jwt", "eyJ", "eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]{1,})?"),
  token("sendgrid-key", "SG.", "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}"),
  token("twilio-key", "SK", "SK[0-9a-f]{32}(?![A-Za-z0-9])"),
  token("mailgun-key", "key-", "key-[0-9a-f]{32}(?![A-Za-z0-9])"),
  token("mailchimp-key", "-us", "[0-9a-f]{32}-us\\d{1,2}(?![A-Za-z0-9])"),
  token("digitalocean-token", "_v1_", "do[oprt]_v1_[0-9a-f]{40,}"),
  token("huggingface-token", ["hf_", "api_org_"], "(?:hf|api_org)_[A-Za-z0-9]{30,}"),
  token("replicate-token", "r8_", "r8_[A-Za-z0-9]{30,}"),
  token("groq-key", "gsk_", "gsk_[A-Za-z0-9]{40,}"),
  token("xai-key", "xai-", "xai-[A-Za-z0-9]{40,}"),
  token("perplexity-key", "pplx-", "pplx-[A-Za-z0-9]{32,}"),
  token("nvidia-key", "nvapi-", "nvapi-[A-Za-z0-9_-]{40,}"),
  token("langsmith-key", "lsv2_", "lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,}"),
  token("tavily-key", "tvly-", "tvly-[A-Za-z0-9_-]{20,}"),
  token("shopify-token", "shp", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
  token("square-token", "sq0", "sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}"),
  token("linear-key", "lin_", "lin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
  token("notion-token", ["ntn_", "secret_"], "(?:ntn|secret)_[A-Za-z0-9]{40,}"),
  token("airtable-token", "pat", "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}"),
  token("databricks-token", "dapi", "dapi[0-9a-f]{32}(?:-\\d)?"),
  token("vault-token", ["hvs.", "hvb.", "hvr."], "hv[sbr]\\.[A-Za-z0-9_-]{20,}"),
  token("terraform-token", ".atlasv1.", "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{40,}"),
  token("grafana-token", ["glc_", "glsa_"], "gl(?:c|sa)_[A-Za-z0-9+/=_]{32,}"),
  token("new-relic-key", "NRAK-", "NRAK-[A-Z0-9]{27}"),
  token("sentry-token", "sntry", "sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
  token("postman-key", "PMAK-", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
  token("planetscale-token", "pscale_", "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}"),
  token("supabase-key", ["sbp_", "sb_secret_"], "(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,})"),
  token("fly-token", ["fm1", "fm2", "fo1_"], "(?:fm[12][ar]?_[A-Za-z0-9+/=_-]{40,}|fo1_[A-Za-z0-9_-]{40,})"),
  token("atlassian-token", "ATATT3", "ATATT3[A-Za-z0-9_=-]{50,}"),
  token("tailscale-key", "tskey-", "tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,}"),
  token("age-secret-key", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
  token("pulumi-token", "pul-", "pul-[0-9a-f]{40}"),
  token("figma-token", "figd_", "figd_[A-Za-z0-9_-]{30,}"),
  token("doppler-token", "dp.", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9_.-]{40,}"),
  token("dropbox-token", "sl.", "sl\\.[A-Za-z0-9_-]{60,}"),
  token("azure-client-secret", "Q~", "[A-Za-z0-9_~.-]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}"),
  token("azure-storage-key", "AccountKey=", "AccountKey=(?<secret>[A-Za-z0-9+/]{40,}={0,2})"),
  token("twitter-token", "AAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAA[A-Za-z0-9%]{50,}"),
  {
    kind: "signed-url",
    hints: ["sig=", "Signature="],
    pattern: /(?<=[?&;](?:sig|X-Amz-Signature|X-Goog-Signature|Signature)=)[A-Za-z0-9%/+_-]{24,}={0,2}/g,
  },
  {
    kind: "url-password",
    hints: ["://"],
    pattern: /(?<=:\/\/[^\s/:@"'<>]{0,128}:)[^\s/"'<>]{1,256}(?=@[A-Za-z0-9[])/g,
  },
  {
    kind: "url-token",
    hints: ["://"],
    pattern: /(?<=:\/\/)[A-Za-z0-9_-]{20,256}(?=@[A-Za-z0-9[])/g,
  },
  {
    kind: "authorization",
    hints: ["uthorization", "UTHORIZATION"],
    pattern:
      /authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token|apikey|digest|negotiate)\s{1,4}(?<secret>[A-Za-z0-9._~+/=:-]{6,})/gi,
  },
  {
    kind: "bearer-token",
    hints: ["earer ", "EARER "],
    pattern:
      /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))bearer\s{1,4}(?<secret>(?=[A-Za-z._~+/=-]{0,256}\d)[A-Za-z0-9._~+/=-]{16,})/gi,
  },
  {
    kind: "cookie",
    hints: ["ookie:", "OOKIE:"],
    pattern:
      /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:set-)?cookie:\s{0,4}(?<secret>[^\s"'=;]{1,128}=[^\r\n"'\\]{6,})/gi,
  },
];
