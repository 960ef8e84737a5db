import twitter from "twitter-text";
import type { Instance } from "./instances.ts";
import { HOSTS } from "./instances.ts";
import { testUsersOf } from "./test-users.ts";

/* Counting, storing and showing a status: docs/platforms/facts/mastodon.md part 2 (counting), 4.4 and 6.10. */

const URL_LENGTH = 23;
const MENTION = /(?<![=/\w])@(?<user>[a-z0-9_]+(?:[a-z0-9_.-]+[a-z0-9_]+)?)(?:@(?<domain>[\w.-]+\w))?/giu;
const DOMAIN_MAX = 253;

interface Link {
  readonly from: number;
  readonly to: number;
}

/** Links begin with http:// or https://. Letters directly before one prevent a link. */
function linksOf(text: string): Link[] {
  return twitter
    .extractUrlsWithIndices(text)
    .filter(({ url }) => /^https?:\/\//i.test(url))
    .map(({ indices: [from, to] }) => ({ from, to }));
}

/** Replaces the links of the text, and passes the other parts through `other`. */
function mapParts(text: string, link: (url: string) => string, other: (part: string) => string): string {
  let result = "";
  let offset = 0;
  for (const { from, to } of linksOf(text)) {
    result += other(text.slice(offset, from)) + link(text.slice(from, to));
    offset = to;
  }
  return result + other(text.slice(offset));
}

const countGraphemes = (text: string): number =>
  Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)).length;

/** Counts text and spoiler together (M status_length_validator.rb); only the text counts links and mentions as shorter. */
export function countCharacters({ isGoToSocial }: Instance, text: string, spoilerText: string): number {
  if (isGoToSocial) {
    // Code points with full URLs (GTS internal/processing/status/common.go).
    return [...text].length + [...spoilerText].length;
  }
  const counted = mapParts(
    text,
    () => "-".repeat(URL_LENGTH),
    (part) =>
      part.replace(MENTION, (mention, user: string, domain: string | undefined) =>
        (domain?.length ?? 0) > DOMAIN_MAX ? mention : `@${user}`,
      ),
  );
  return countGraphemes(spoilerText + counted);
}

interface Mentioned {
  readonly acct: string;
  readonly username: string;
  readonly url: string;
}

/** A user of this instance or of another instance in the sandbox. */
function resolveMention(host: string, user: string, domain: string | undefined): Mentioned | undefined {
  const userHost = (domain ?? host).toLowerCase();
  const found = HOSTS.includes(userHost)
    ? testUsersOf(userHost).find(({ username }) => username.toLowerCase() === user.toLowerCase())
    : undefined;
  return (
    found && {
      acct: userHost === host ? found.username : `${found.username}@${userHost}`,
      username: found.username,
      url: `https://${userHost}/@${found.username}`,
    }
  );
}

/** Resolved mentions are rewritten to their canonical form (M process_mentions_service.rb). */
export function canonicalText(host: string, text: string): string {
  return mapParts(
    text,
    (url) => url,
    (part) =>
      part.replace(MENTION, (mention, user: string, domain: string | undefined) => {
        const mentioned = resolveMention(host, user, domain);
        return mentioned ? `@${mentioned.acct}` : mention;
      }),
  );
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

const DISPLAYED_URL_LENGTH = 30;

function linkHtml(url: string): string {
  const prefix = /^https?:\/\/(?:www\.)?/i.exec(url)?.[0] ?? "";
  const rest = url.slice(prefix.length);
  const isCut = rest.length > DISPLAYED_URL_LENGTH;
  const shown = escapeHtml(rest.slice(0, DISPLAYED_URL_LENGTH));
  const hidden = escapeHtml(rest.slice(DISPLAYED_URL_LENGTH));
  return `<a href="${escapeHtml(url)}" target="_blank" rel="nofollow noopener" translate="no"><span class="invisible">${prefix}</span><span class="${isCut ? "ellipsis" : ""}">${shown}</span><span class="invisible">${hidden}</span></a>`;
}

/** The HTML of `content`: mentions show only the local part (M app/lib/text_formatter.rb). */
export function contentHtml(host: string, text: string): string {
  if (text === "") {
    return "";
  }
  const html = mapParts(text, linkHtml, (part) =>
    escapeHtml(part).replace(MENTION, (mention, user: string, domain: string | undefined) => {
      const mentioned = resolveMention(host, user, domain);
      return mentioned
        ? `<span class="h-card" translate="no"><a href="${mentioned.url}" class="u-url mention">@<span>${mentioned.username}</span></a></span>`
        : mention;
    }),
  );
  return html
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll("\n", "<br />")}</p>`)
    .join("");
}
