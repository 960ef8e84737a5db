import type { Almanac, Post, ScheduleOptions, SchedulePreview, ScheduleResult } from "@almanac/client";
import { isAlmanacError } from "@almanac/client";
import { CommandError } from "./exit-codes.ts";
import { PendingConfirmStore } from "./pending.ts";
import { notConfirmed, type Session } from "./session.ts";
import { showPost, showSchedulePreview } from "./show.ts";
import { onOneLine } from "./text.ts";

/** What a confirm needs: the client, and where its token is kept until the answer is there. */
export interface Confirms {
  readonly almanac: Almanac;
  readonly baseUrl: string;
  readonly workspace: string | null;
  /** A client for another workspace, in which an earlier run was killed. */
  readonly clientIn: (workspace: string | null) => Almanac;
  readonly pending: PendingConfirmStore;
  /** Equal for the same command line. */
  readonly command: string;
}

export async function openConfirms(session: Session, words: readonly unknown[]): Promise<Confirms> {
  const credential = await session.credentials.current();
  const { baseUrl } = credential;
  const workspace = await session.workspaceAt(baseUrl);
  const clientIn = (id: string | null) => session.clientFor(credential, id);
  return {
    almanac: clientIn(workspace),
    baseUrl,
    workspace,
    clientIn,
    pending: new PendingConfirmStore(session.env),
    // The same words in another workspace are another command.
    command: JSON.stringify(workspace === null ? words : [workspace, ...words]),
  };
}

/** What the same command has made in a run that was killed. */
interface Finished {
  readonly postIds: readonly string[];
  /** Of one post, the post. */
  readonly post: Post | null;
  /** The row of the table at which the command goes on; null when it is done. */
  readonly nextRow: number | null;
}

/**
 * Ends what a killed run has left: the same token is confirmed again, which makes the posts if they were not made, and never a second
 * time. A token that is too old for that tells what became of it. Null unless the same command has made them.
 */
export async function settlePending(session: Session, confirms: Confirms): Promise<Finished | null> {
  const { baseUrl, pending: store, command } = confirms;
  const pending = await store.find(baseUrl);
  if (!pending) {
    return null;
  }
  const { terminal, clock, signal } = session;
  const { posts: count, caption, scheduledAt, token } = pending;
  terminal.note(
    `An earlier run ended while it confirmed ${
      count === undefined
        ? `"${onOneLine(caption)}" for ${clock.planned(scheduledAt ?? "")}`
        : `${count} posts of ${onOneLine(caption)}`
    }.`,
  );
  const isMany = count !== undefined;
  const almanac = confirms.clientIn(pending.workspace ?? null);
  const question = isMany
    ? "Finish it? It makes each post once, also if they were made already."
    : "Finish it? It makes one post, also if it was made already.";
  if (!(await session.asks(question))) {
    await store.forget();
    terminal.note("Left as it is; `almanac list` shows whether it was made.");
    return null;
  }
  try {
    const { finished, alreadyConfirmed } = isMany
      ? await finishMany(almanac, token, signal)
      : await finishOne(almanac, token, signal);
    await store.forget();
    terminal.note(alreadyConfirmed ? "It had been made: nothing was made now." : "It is made now.");
    const { nextRow = null } = pending;
    if (pending.command !== command && nextRow !== null) {
      terminal.note(
        `Its table goes on at row ${nextRow}: \`almanac bulk\` with --from-row ${nextRow} schedules the rest.`,
      );
    }
    return pending.command === command ? { ...finished, nextRow } : null;
  } catch (error) {
    if (!isAlmanacError(error)) {
      throw error;
    }
    await store.forget();
    terminal.note(`It was not made (${onOneLine(error.message)}).`);
    return null;
  }
}

interface Ended {
  readonly finished: Omit<Finished, "nextRow">;
  readonly alreadyConfirmed: boolean;
}

async function finishOne(almanac: Almanac, token: string, signal: AbortSignal): Promise<Ended> {
  const { posts, alreadyConfirmed } = await almanac.confirm(token, { signal });
  return { finished: { postIds: posts.map(({ id }) => id), post: posts[0] ?? null }, alreadyConfirmed };
}

async function finishMany(almanac: Almanac, token: string, signal: AbortSignal): Promise<Ended> {
  const { postIds, alreadyConfirmed } = await almanac.confirmMany(token, { signal });
  return { finished: { postIds, post: null }, alreadyConfirmed };
}

function showScheduled(session: Session, post: Post, preview: SchedulePreview | null): void {
  session.terminal.line("Scheduled.");
  showPost(session, post);
  session.terminal.json({ state: "scheduled", post, ...(preview && { preview }) });
}

/** Shows the preview of one post, asks, and schedules exactly that, once. */
export async function scheduleOne(
  session: Session,
  confirms: Confirms,
  schedule: (options: ScheduleOptions<SchedulePreview>) => Promise<ScheduleResult>,
): Promise<void> {
  const { pending, baseUrl, workspace, command } = confirms;
  const finished = await settlePending(session, confirms);
  if (finished?.post) {
    showScheduled(session, finished.post, null);
    return;
  }
  let shown: SchedulePreview | undefined;
  const result = await schedule({
    signal: session.signal,
    async confirm(preview) {
      shown = preview;
      showSchedulePreview(session, preview);
      return await session.asks("Schedule this?");
    },
    beforeConfirm: async (token) =>
      await pending.keep({
        baseUrl,
        token,
        workspace,
        command,
        caption: shown?.caption ?? "",
        scheduledAt: shown?.scheduled_at ?? null,
      }),
  });
  await pending.forget();
  switch (result.state) {
    case "declined":
      throw notConfirmed("nothing was scheduled");
    case "awaiting_approval":
      throw awaitingApproval(result.approval.url);
    default:
      showScheduled(session, result.post, result.preview);
  }
}

export const awaitingApproval = (url: string): CommandError =>
  new CommandError(
    "awaitingApproval",
    "approval_required",
    `nothing is written yet: a person has to approve it, signed in, at ${onOneLine(url)}`,
  );
