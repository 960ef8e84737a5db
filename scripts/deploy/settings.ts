import { PLATFORMS } from "#core/platform.ts";
import { PLANS } from "#core/plan.ts";
import { adapterFor } from "#platforms/registry.ts";
import { DeployFailure } from "./failure.ts";
import {
  boolean,
  domain,
  email,
  httpsAddress,
  jsonObject,
  oneOf,
  operatorKey,
  privateKey,
  type Shape,
  setupCode,
  signingSecret,
  text,
  tokenKeys,
  wholeNumber,
  workerName,
} from "./shapes.ts";

/** One line of the table of settings. */
export interface Setting {
  readonly name: string;
  /** `deployment`: for this command alone. `variable`: public at Cloudflare. `secret`: nobody can read it back. */
  readonly kind: "deployment" | "variable" | "secret";
  readonly shape: Shape;
  readonly meaning: string;
}

/** Where Cloudflare places a database: https://developers.cloudflare.com/d1/configuration/data-location/ */
const DATABASE_LOCATIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc"] as const;
const OBJECT_LOCATIONS = [...DATABASE_LOCATIONS, "sam", "apac-ne", "apac-se", "afr", "me"] as const;

const setting = (kind: Setting["kind"], name: string, shape: Shape, meaning: string): Setting => ({
  name,
  kind,
  shape,
  meaning,
});

const SERVICE: readonly Setting[] = [
  setting(
    "deployment",
    "DOMAIN",
    domain,
    "the service's own domain, in a zone of the account; without it: workers.dev",
  ),
  setting("deployment", "WORKER_NAME", workerName, "name of the Worker, its database, bucket and key-value store"),
  setting("deployment", "LOCATION", oneOf(...DATABASE_LOCATIONS), "where database, media and objects are created"),
  setting("deployment", "WORKER_AT_LOCATION", oneOf("true"), "whether the Worker too runs at LOCATION"),
  setting("deployment", "JURISDICTION", oneOf("eu"), "where database and media are kept by guarantee"),
  setting(
    "deployment",
    "FIT_IMAGES",
    oneOf("true", "false"),
    "whether Cloudflare Images is bound, which makes images fit",
  ),
  setting("variable", "BASE_URL", httpsAddress, "address of the API, ending in `/v1`"),
  setting("variable", "AUTH_URL", httpsAddress, "address of sign-in and consent"),
  setting("variable", "DOCS_URL", httpsAddress, "address of the documentation"),
  setting("variable", "SIGNUP", oneOf("first", "open", "closed"), "who may sign up"),
  setting("secret", "SETUP_CODE", setupCode, "what the first user must know; made and printed when it is missing"),
  setting("secret", "OPERATOR_KEY", operatorKey, "the credential of `npm run doctor`; made when it is missing"),
  setting("secret", "TOKEN_KEYS", tokenKeys, "keys that seal the tokens of platforms; made when it is missing"),
  setting("variable", "TOKEN_KEY_ID", text, "the key of TOKEN_KEYS that seals"),
  setting("variable", "PLAN_FOR_ALL", oneOf(...PLANS, "none"), "the plan of every user without a subscription"),
  setting("variable", "QUOTAS", jsonObject, "your own limits, by plan"),
  setting("variable", "DATABASE_LIMIT_BYTES", wholeNumber, "what the D1 database may hold"),
  setting("secret", "STRIPE_SECRET_KEY", text, "payment"),
  setting("secret", "STRIPE_WEBHOOK_SECRET", text, "payment"),
  ...PLANS.map((plan) => setting("variable", `STRIPE_PRICE_${plan.toUpperCase()}`, text, "payment")),
  setting("variable", "OPERATOR_NAME", text, "who runs this installation, for /privacy, /terms and /data-deletion"),
  setting("variable", "OPERATOR_CONTACT", text, "an e-mail or web address for the same pages"),
  setting("variable", "OPERATOR_JURISDICTION", text, "the country or state whose law applies"),
  setting("variable", "CONTACT_EMAIL", email, "the contact in the API description"),
  setting("variable", "MAIL_FROM", email, "sender of e-mails; binds Cloudflare's e-mail service"),
  setting(
    "secret",
    "ALERT_WEBHOOK",
    httpsAddress,
    "where alerts for operators are posted; its address may be a secret",
  ),
  setting("secret", "ALERT_WEBHOOK_SECRET", signingSecret, "signs what is posted there"),
  setting("variable", "OBJECTS_LOCATION", oneOf(...OBJECT_LOCATIONS), "where objects are created, if not at LOCATION"),
  setting("variable", "MEDIA_DOH_URL", httpsAddress, "DNS-over-HTTPS server for the check of addresses"),
  setting("variable", "MEDIA_VERIFICATION_FILES", jsonObject, "files that prove to platforms that you own the domain"),
  setting("variable", "PUBLISHING", oneOf("hold"), "`hold`: nothing is published"),
];

/** What single platforms know beyond the id and the secret of the app; their guides in docs/platforms say more. */
const OF_PLATFORMS: readonly (readonly [name: string, shape: Shape])[] = [
  ["BLUESKY_PRIVATE_KEY", privateKey],
  ["BLUESKY_SCOPES", oneOf("transition")],
  ["BLUESKY_VIDEO_MAX_SECONDS", wholeNumber],
  ["FACEBOOK_EXTRA_SCOPES", text],
  ["FACEBOOK_API_VERSION", text],
  ["FACEBOOK_BUSINESS_MANAGEMENT", boolean],
  ["FACEBOOK_CONFIG_ID", text],
  ["INSTAGRAM_EXTRA_SCOPES", text],
  ["INSTAGRAM_API_VERSION", text],
  ["INSTAGRAM_APPSECRET_PROOF", boolean],
  ["INSTAGRAM_BUSINESS_MANAGEMENT", boolean],
  ["INSTAGRAM_CONFIG_ID", text],
  ["INSTAGRAM_LOGIN_VARIANT", oneOf("facebook")],
  ["INSTAGRAM_REPUBLISH", oneOf("immediately")],
  ["LINKEDIN_EXTRA_SCOPES", text],
  ["LINKEDIN_API_VERSION", text],
  ["LINKEDIN_CAPTION_COUNT", oneOf("visible")],
  ["LINKEDIN_PART_TOKEN", oneOf("send")],
  ["LINKEDIN_PRODUCTS", oneOf("member", "community", "member,community", "community,member")],
  ["LINKEDIN_RESEND", oneOf("never")],
  ["LINKEDIN_REVOKE", oneOf("never")],
  ["MASTODON_ALLOW_OTHERS", boolean],
  ["MASTODON_CLIENT_NAME", text],
  ["PINTEREST_API", oneOf("sandbox")],
  ["PINTEREST_RESEND", oneOf("once")],
  ["PINTEREST_SECRET_BOARDS", oneOf("1")],
  ["THREADS_EXTRA_SCOPES", text],
  ["THREADS_API_VERSION", text],
  ["THREADS_APPSECRET_PROOF", boolean],
  ["THREADS_DOMAIN", oneOf("threads.com")],
  ["TIKTOK_AUDITED", boolean],
  ["TIKTOK_SCOPES", text],
  ["X_LONG_VIDEO_CATEGORY", oneOf("tweet_video")],
  ["X_QUOTE_MODE", oneOf("native", "link", "native_then_link")],
  ["X_RESEND", oneOf("never")],
  ["YOUTUBE_EXTRA_SCOPES", text],
];

/** The platforms for which the operator registers an app. */
export const PLATFORMS_WITH_APP = PLATFORMS.filter(
  (platform) => adapterFor(platform)?.operatorCredentials === "required",
);

/** Every setting there is. */
export const SETTINGS: readonly Setting[] = [
  ...SERVICE,
  ...PLATFORMS_WITH_APP.flatMap((platform) => [
    setting("variable", `${platform.toUpperCase()}_CLIENT_ID`, text, "your app at that platform"),
    setting("secret", `${platform.toUpperCase()}_CLIENT_SECRET`, text, "its secret"),
    setting("secret", `${platform.toUpperCase()}_CLIENT_SECRET_NEXT`, text, "the secret that replaces it"),
  ]),
  ...OF_PLATFORMS.map(([name, shape]) =>
    setting(shape === privateKey ? "secret" : "variable", name, shape, "see the guide of that platform"),
  ),
];

const BY_NAME: ReadonlyMap<string, Setting> = new Map(SETTINGS.map((one) => [one.name, one]));

/** The values that the operator gave, by name. */
export type Values = ReadonlyMap<string, string>;

/** Whether the names differ by at most one typing mistake: a letter more, fewer or different, or two exchanged. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) {
    return a === b;
  }
  let at = 0;
  while (at < a.length && a[at] === b[at]) {
    at += 1;
  }
  const [restA, restB] = [a.slice(at), b.slice(at)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}

/** Names that people try, with what they want instead. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  ORIGIN: "the address follows from DOMAIN",
  OPERATOR_EMAIL: "use OPERATOR_CONTACT",
  CLOUDFLARE_API_TOKEN: "put it into the environment or into .env, which wrangler reads",
  CLOUDFLARE_ACCOUNT_ID: "put it into the environment or into .env, which wrangler reads",
};

function unknownName(name: string): string {
  const near = SETTINGS.find((one) => isNear(one.name, name.toUpperCase()))?.name;
  const words = OTHER_WORDS[name];
  const advice = words ?? (near === undefined ? "docs/guide/operate.md lists the settings" : `did you mean ${near}?`);
  return `${name} is not a setting: ${advice}`;
}

function pairProblems(values: Values): string[] {
  const missing = (names: readonly string[]): string[] => {
    const given = names.filter((name) => values.has(name));
    return given.length === 0 || given.length === names.length
      ? []
      : names
          .filter((name) => !values.has(name))
          .map((name) => `${name} is missing: ${given.join(" and ")} ${given.length === 1 ? "needs" : "need"} it`);
  };
  const lacksLocation = values.has("WORKER_AT_LOCATION") && !values.has("LOCATION");
  const isOutside = values.has("JURISDICTION") && !["weur", "eeur"].includes(values.get("LOCATION") ?? "weur");
  const stripe = SETTINGS.filter(({ name }) => name.startsWith("STRIPE_")).map(({ name }) => name);
  return [
    ...missing(stripe),
    ...missing(["OPERATOR_NAME", "OPERATOR_CONTACT"]),
    ...(lacksLocation ? ["LOCATION is missing: WORKER_AT_LOCATION needs it"] : []),
    ...(isOutside ? ["LOCATION must be weur or eeur, or left out: JURISDICTION is eu"] : []),
  ];
}

/** Lists all problems, so that one run finds them all. No problem quotes the value of a secret. */
export function findProblems(values: Values): string[] {
  const problems = [...values].flatMap(([name, value]) => {
    const known = BY_NAME.get(name);
    if (known === undefined) {
      return [unknownName(name)];
    }
    const isRight = known.shape.accepts(value);
    const given = known.kind === "secret" || isRight ? "" : `, not ${JSON.stringify(value)}`;
    return isRight ? [] : [`${name} must be ${known.shape.words}${given}`];
  });
  return [...problems, ...pairProblems(values)];
}

export function assertSettings(values: Values, source: string): void {
  const problems = findProblems(values);
  if (problems.length > 0) {
    throw new DeployFailure(
      `${source}: ${problems.length === 1 ? "a setting is" : `${problems.length} settings are`} wrong\n${problems.map((one) => `  - ${one}`).join("\n")}`,
      `correct ${source}, then run the command again; nothing was changed`,
    );
  }
}

/** The given values of one kind. */
export function ofKind(values: Values, kind: Setting["kind"]): Map<string, string> {
  return new Map([...values].filter(([name]) => BY_NAME.get(name)?.kind === kind));
}
