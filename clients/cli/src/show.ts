import type { EditPreview, Post, PostSummary, SchedulePreview } from "@almanac/client";
import type { Session } from "./session.ts";
import { onOneLine } from "./text.ts";

/** How the states of posts and targets are painted. */
const STATUS_STYLES = {
  scheduled: "cyan",
  publishing: "yellow",
  published: "green",
  partially_failed: "red",
  failed: "red",
  paused: "yellow",
  cancelled: "dim",
  pending: "cyan",
  processing: "yellow",
  unconfirmed: "red",
  skipped: "dim",
} as const;

const SHORT_ID_LENGTH = 8;

/** The end of an id, which differs where its begin, a time, does not. */
export const shortId = (id: string): string => id.slice(-SHORT_ID_LENGTH);

const noteOf = (session: Session) => (text: string) => session.terminal.note(text);

/** A preview as the person decides about it; on the standard error, because it is no result yet. */
export function showSchedulePreview(session: Session, preview: SchedulePreview): void {
  const { terminal, clock } = session;
  const note = noteOf(session);
  note("");
  note(`${terminal.paint("When", "bold", "stderr")}  ${clock.planned(preview.scheduled_at)}`);
  const captions = [...new Set(preview.targets.map(({ effective_caption: caption }) => caption))];
  for (const caption of captions) {
    const names = preview.targets
      .filter(({ effective_caption: effective }) => effective === caption)
      .map(({ platform, username }) => `${platform} ${onOneLine(username)}`);
    note(captions.length === 1 ? terminal.paint("What", "bold", "stderr") : `For ${names.join(", ")}:`);
    terminal.quote(caption, note);
  }
  for (const item of preview.media_items) {
    const size = item.width === null || item.height === null ? "" : `, ${item.width} × ${item.height}`;
    note(`  ${item.type}: ${onOneLine(item.url.split("/").at(-1) ?? "")}, ${item.content_type}${size}`);
  }
  note("");
  terminal.table(
    preview.targets,
    [
      { title: "Platform", of: ({ platform }) => platform },
      { title: "Account", of: ({ username }) => username },
      { title: "Length", of: (target) => `${target.caption_length} of ${target.caption_limit}` },
      { title: "As", of: ({ placement }) => placement ?? "post" },
      {
        title: "Costs",
        of: ({ cost }) => (cost === null ? "" : `$${cost.amount_usd}`),
      },
      {
        title: "Warnings",
        of: ({ warnings }) => warnings.map(({ message }) => message).join("; ") || "none",
        shrinks: true,
        style: ({ warnings }) => (warnings.length > 0 ? "yellow" : "green"),
      },
    ],
    note,
  );
  showSettings(session, preview);
  showWarnings(session, preview);
  note("");
}

/** Every option that is set, and media of single accounts: nobody agrees to what they cannot see. */
function showSettings({ terminal }: Session, { targets }: SchedulePreview): void {
  for (const { platform, username, platform_options: options, media_items: own } of targets) {
    const set = Object.entries(options ?? {}).filter(([, value]) => value !== null);
    if (set.length > 0 || own) {
      terminal.note(`Options of ${platform} ${onOneLine(username)}:`);
    }
    for (const [name, value] of set) {
      terminal.quote(`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`, (line) =>
        terminal.note(line),
      );
    }
    for (const item of own ?? []) {
      terminal.note(`  ${item.type} instead: ${onOneLine(item.url.split("/").at(-1) ?? "")}, ${item.content_type}`);
    }
  }
}

/** Every warning whole, because a table may have cut it. */
function showWarnings({ terminal }: Session, { warnings, targets }: SchedulePreview): void {
  const all = [
    ...warnings.map(({ message }) => message),
    ...targets.flatMap((target) =>
      target.warnings.map(({ message }) => `${target.platform} ${target.username}: ${message}`),
    ),
  ];
  if (all.length > 0) {
    terminal.note("");
  }
  for (const warning of all) {
    terminal.note(`${terminal.paint("!", "yellow", "stderr")} ${onOneLine(warning)}`);
  }
}

/** A value of a change, short enough for a table; times in the zone of the user. */
function valueText(session: Session, field: string, value: unknown): string {
  if (field === "scheduled_at" && typeof value === "string") {
    return value === "now" ? session.clock.planned(value) : session.clock.full(value);
  }
  if (value === null || value === undefined) {
    return "none";
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function showEditPreview(session: Session, preview: EditPreview): void {
  const note = noteOf(session);
  for (const post of preview.posts) {
    note("");
    note(`Post ${shortId(post.id)}: ${onOneLine(post.after.caption)}`);
    session.terminal.table(
      post.changes,
      [
        {
          title: "Change",
          of: ({ field, account_id: id }) => (id === undefined ? field : `${field} (${shortId(id)})`),
        },
        { title: "From", of: ({ field, from }) => valueText(session, field, from) },
        { title: "To", of: ({ field, to }) => valueText(session, field, to), shrinks: true },
      ],
      note,
    );
    // The table cuts what is long.
    if (post.changes.some(({ field }) => field === "caption")) {
      note("Caption afterwards:");
      session.terminal.quote(post.after.caption, note);
    }
    showSettings(session, post.after);
    showWarnings(session, post.after);
  }
  note("");
}

export function showPosts({ terminal, clock }: Session, posts: readonly PostSummary[]): void {
  terminal.table(posts, [
    { title: `Time (${clock.zone})`, of: (post) => clock.short(post.scheduled_at) },
    { title: "Status", of: ({ status }) => status, style: ({ status }) => STATUS_STYLES[status] },
    { title: "Platforms", of: ({ platforms }) => platforms.join(", ") },
    { title: "Caption", of: ({ caption }) => caption, shrinks: true },
    { title: "Id", of: ({ id }) => shortId(id), style: () => "dim" },
  ]);
}

export function showPost({ terminal, clock }: Session, post: Post): void {
  const label = (name: string) => terminal.paint(name.padEnd(8), "bold");
  terminal.line(`${label("Post")}  ${post.id}`);
  terminal.line(
    `${label("Status")}  ${terminal.paint(post.status, STATUS_STYLES[post.status])}${post.paused_reason === null ? "" : ` (${post.paused_reason})`}`,
  );
  terminal.line(`${label("When")}  ${clock.full(post.scheduled_at)}, ${clock.distance(post.scheduled_at)}`);
  terminal.line(terminal.paint("What", "bold"));
  terminal.quote(post.caption);
  for (const item of post.media_items) {
    terminal.line(`  ${item.type}: ${onOneLine(item.url)}`);
  }
  terminal.line();
  terminal.table(post.targets, [
    { title: "Platform", of: ({ platform }) => platform },
    { title: "Account", of: ({ username }) => username },
    { title: "Status", of: ({ status }) => status, style: ({ status }) => STATUS_STYLES[status] },
    {
      title: "Details",
      of: (target) =>
        target.error?.message ??
        target.platform_post_url ??
        (target.next_attempt_at === null ? "" : `next try ${clock.full(target.next_attempt_at)}`),
      shrinks: true,
    },
  ]);
  for (const { error, platform, username } of post.targets) {
    if (error) {
      terminal.line();
      terminal.quote(`${platform} ${username}: ${error.message}`);
    }
  }
}
