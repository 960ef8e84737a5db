import { html, raw } from "hono/html";
import type { Config } from "#config.ts";
import type { Mail } from "#core/mailer.ts";
import { toVisibleLine } from "#core/text.ts";
import { describeNotice } from "./describe-notice.ts";
import type { AlertRecipient } from "./store-alert-mails.ts";
import type { Notice, NoticeText } from "./types.ts";

/** How many notices a mail describes. It counts the others and links to the list. */
const MAX_DESCRIBED = 20;

interface Described extends NoticeText {
  readonly url: string;
}

/** Writes times in the reader's zone, such as `Thu, 3 Dec 2026, 09:05`. */
function formatIn(timeZone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
  });
  return (instant) => format.format(instant);
}

function toText(described: readonly Described[], notes: readonly string[]): string {
  const items = described.map(({ title, lines, action, url }) =>
    [title, ...lines.map((line) => `  ${line}`), `  ${action}: ${url}`].join("\n"),
  );
  return `${[...items, ...notes].join("\n\n")}\n`;
}

/** Writes the mail as HTML. Styles are attributes, because mail programs drop style sheets. */
async function toHtml(described: readonly Described[], notes: readonly string[]): Promise<string> {
  const items = described.map(
    ({ title, lines, action, url }) =>
      html`<h2 style="font-size:16px;margin:24px 0 4px">${title}</h2>
        ${lines.map((line) => html`<p style="margin:0 0 4px">${line}</p>`)}
        <p style="margin:8px 0 0"><a href="${url}">${action}</a></p>`,
  );
  const page = await html`${raw("<!DOCTYPE html>")}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Almanac</title>
      </head>
      <body style="font:15px/1.5 sans-serif;max-width:600px;margin:0 auto;padding:16px">
        ${items} ${notes.map((note) => html`<p style="margin:24px 0 0;font-size:13px">${note}</p>`)}
      </body>
    </html>`;
  // Hono returns a String object, but a mail binding requires a plain string.
  return page.toString();
}

/** Writes one mail with all these notices, as text and HTML, in the owner's time zone. */
export async function composeAlertMail(
  { origin }: Pick<Config, "origin">,
  { email, timeZone, workspaceName, isActiveWorkspace }: AlertRecipient,
  notices: readonly Notice[],
): Promise<Mail> {
  const format = formatIn(timeZone);
  const described = notices
    .slice(0, MAX_DESCRIBED)
    .map((notice) => ({ ...describeNotice(notice, format), url: `${origin}${notice.path}` }));
  const workspace = `“${toVisibleLine(workspaceName)}”`;
  const more = notices.length - described.length;
  const notes = [
    ...(more > 0 ? [`And ${more} more: ${origin}/notices`] : []),
    ...(isActiveWorkspace
      ? []
      : [
          `All this is in the workspace ${workspace}. Switch to it before you open the links: ${origin}/dashboard/workspaces`,
        ]),
    `Times are in ${timeZone.replaceAll("_", " ")}. You get this mail because you own the workspace ${workspace}; choose what is sent: ${origin}/dashboard/profile`,
  ];
  const [only] = described;
  return {
    to: email,
    subject:
      described.length === 1 && only !== undefined
        ? only.title
        : `${notices.length} things need your attention in ${workspace}`,
    text: toText(described, notes),
    html: await toHtml(described, notes),
  };
}
