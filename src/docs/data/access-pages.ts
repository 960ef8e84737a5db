import type { Config } from "#config.ts";
import { LIMIT_NAMES, type LimitKey, limitsFor, PLANS } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { inlineCode, table } from "#docs/markdown/markdown.ts";
import type { DocsPage } from "#docs/page.ts";
import { type ApiDocument, operationsOf } from "#docs/reference/document.ts";

const SECTION = "Reference";
const THOUSANDS = new Intl.NumberFormat("en");
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const UNITS: Partial<Record<LimitKey, readonly [bytes: number, name: string]>> = {
  storageBytes: [GIB, "GiB"],
  draftBytes: [MIB, "MiB"],
  textBytesPerHour: [MIB, "MiB"],
};

const KEYS = Object.keys(LIMIT_NAMES) as LimitKey[];

function operationsWith(document: ApiDocument, scope: string, docsUrl: string): string {
  return document.tags
    .flatMap(({ name }) => operationsOf(document, name).map((placed) => ({ tag: name, ...placed })))
    .filter(({ operation }) => operation.security?.some((way) => way["oauth2"]?.includes(scope)))
    .map(
      ({ tag, method, path, operation }) =>
        `[\`${method} ${path}\`](${docsUrl}/reference/${tag}/${operation.operationId})`,
    )
    .join(", ");
}

function scopesPage(document: ApiDocument, docsUrl: string): DocsPage {
  return {
    path: "scopes",
    title: "Scopes",
    description: "What a key or an app may do, and which calls need which scope.",
    section: SECTION,
    order: 246,
    markdown: `A credential has one or more scopes. A call without the scope that it needs is refused with 403 [\`insufficient_scope\`](${docsUrl}/error-codes#insufficient_scope). A call that stands beside several scopes needs all of them. Operations that are not listed here need any valid credential.

${table(
  ["Scope", "Opens"],
  SCOPES.map((scope) => [inlineCode(scope), operationsWith(document, scope, docsUrl)]),
)}`,
  };
}

function describeLimit(document: ApiDocument, key: LimitKey): string {
  const limits = document.components.schemas["Limits"]?.properties?.["limits"]?.properties;
  return limits?.[LIMIT_NAMES[key]]?.description ?? "";
}

function toLimit(key: LimitKey, value: number): string {
  const [bytes, name] = UNITS[key] ?? [1, ""];
  return `${THOUSANDS.format(value / bytes)} ${name}`.trim();
}

function quotasPage(document: ApiDocument, { docsUrl, limitOverrides }: Config): DocsPage {
  const ofPlans = PLANS.map((plan) => limitsFor({ plan, isTrial: false, mustProveEmail: false }, limitOverrides));
  const ofTrial = limitsFor({ plan: "scale", isTrial: true, mustProveEmail: false }, limitOverrides);
  const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  return {
    path: "quotas",
    title: "Plans and their limits",
    description: "The numbers of each plan at this installation, and what is answered beyond them.",
    section: SECTION,
    order: 247,
    markdown: `These are the numbers of this installation; \`GET /limits\` answers those of the caller with what is used of them. In a trial the lower of its own number and that of the plan counts.

${table(
  ["Limit", "What it counts", ...PLANS.map(capitalize), "Trial"],
  KEYS.map((key) => [
    inlineCode(LIMIT_NAMES[key]),
    describeLimit(document, key),
    ...[...ofPlans, ofTrial].map((limits) => toLimit(key, limits[key])),
  ]),
)}
What counts per minute or hour is refused with 429 [\`rate_limited\`](${docsUrl}/error-codes#rate_limited) and \`Retry-After\`; what exists at the same time with 403 [\`quota_exceeded\`](${docsUrl}/error-codes#quota_exceeded), or with a code of its own like [\`account_limit_reached\`](${docsUrl}/error-codes#account_limit_reached).
`,
  };
}

/** Makes the pages about what a credential may do, and how often. */
export function accessPages(document: ApiDocument, config: Config): DocsPage[] {
  return [scopesPage(document, config.docsUrl), quotasPage(document, config)];
}
