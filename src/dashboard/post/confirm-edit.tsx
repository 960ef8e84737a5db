import type { Child, FC } from "hono/jsx";
import { type Refusal, RefusalError } from "#core/errors.ts";
import type { RefusalCode } from "#core/codes.ts";
import { Notice } from "#dashboard/layout/components.tsx";
import { parsePostForm } from "#dashboard/post-form/post-form.ts";
import { HiddenForm } from "#dashboard/composer/preview-page.tsx";
import { timeFields } from "#dashboard/post-form/read-time.ts";
import { type Display, displayOf, formatDateTime } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { localPath, readForm, withDone } from "#dashboard/request/form.ts";
import { readBodyText } from "#dashboard/request/read-body.ts";
import { readTakenSlot } from "#dashboard/wording/taken-slot.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { wordsFor } from "#dashboard/wording/field-words.ts";
import { refusalInWords } from "#dashboard/wording/problem-sentences.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { confirmEdit, repeatUntilVisible } from "#confirming/index.ts";
import { contextOf } from "#dashboard/request/context-of.ts";

const POST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Sentences for people that replace refusal messages written for programs. */
const MESSAGES: Partial<Record<RefusalCode, string>> = {
  invalid_confirmation_token:
    "This preview can no longer be saved: it is valid for five minutes, and only as long as nothing else changes. Nothing was changed.",
  token_not_visible_yet: "This preview cannot be read here yet. Nothing was changed: make the change again.",
  token_already_used: "This change has already been saved.",
  post_changed: "The post was changed, or started to publish, after this preview was made. Nothing was changed by you.",
  scheduled_at_in_past: "The chosen time has passed. Nothing was changed: choose a later time.",
};

const RefusedPage: FC<{
  services: PageContext["var"]["services"];
  signedIn: PageContext["var"]["signedIn"];
  display: Display;
  refusal: Refusal;
  postPath: string | null;
  /** A button that previews the same change at the next free slot, if another post took the previewed slot. */
  slot: Child;
}> = ({ services, signedIn, display, refusal, postPath, slot }) => {
  const isSaved = refusal.code === "token_already_used";
  const sentences = refusalInWords(refusal, wordsFor(services, display));
  const [first = ""] = sentences;
  return (
    <DashboardLayout
      title={isSaved ? "Already saved" : "The change was not saved"}
      section="calendar"
      signedIn={signedIn}
    >
      {slot ?? <Notice kind={isSaved ? "info" : "error"}>{MESSAGES[refusal.code] ?? first}</Notice>}
      {sentences.length > 1 && (
        <ul>
          {sentences.map((sentence) => (
            <li>{sentence}</li>
          ))}
        </ul>
      )}
      <p class="actions">
        {postPath === null ? (
          <a class="button" href="/dashboard">
            Go to the calendar
          </a>
        ) : (
          <>
            <a class="button" href={postPath}>
              Open the post
            </a>{" "}
            <a class="button secondary" href={`${postPath}/edit`}>
              Edit it again
            </a>
          </>
        )}
      </p>
    </DashboardLayout>
  );
};

/**
 * Says that another post took the slot, with a button that previews the same change at the next free slot. Null if no
 * slot was taken.
 */
async function renderTakenSlot(
  c: PageContext,
  refusal: Refusal,
  { postPath, params }: { readonly postPath: string | null; readonly params: URLSearchParams },
): Promise<Child> {
  const taken = await readTakenSlot(c, refusal);
  if (taken === null) {
    return null;
  }
  const { sentences, next } = taken;
  const form = parsePostForm(params);
  const display = displayOf(c);
  const isWholeForm = params.has("caption");
  return (
    <>
      <Notice kind="error">{`${sentences} Nothing was changed.`}</Notice>
      {next !== null && postPath !== null && (
        <form method="post" action={isWholeForm ? "/dashboard/posts/preview" : `${postPath}/move`}>
          {isWholeForm ? (
            <HiddenForm form={form} />
          ) : (
            Object.entries({
              ...timeFields(next, display.timeZone),
              slot: "next",
              next: localPath(params.get("next") ?? undefined),
            }).map(([name, value]) => <input type="hidden" name={name} value={value} />)
          )}
          <p class="actions">
            <button name="intent" value="preview">{`Preview for ${formatDateTime(display, next)}`}</button>
          </p>
        </form>
      )}
    </>
  );
}

/** Handles `POST /dashboard/posts/edit/confirm`: confirms a previewed edit, whichever page previewed it. */
export async function doConfirmEdit(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const form = await readForm(c);
  const params = new URLSearchParams(await readBodyText(c));
  const postId = form.text("post_id");
  const postPath = POST_ID.test(postId) ? `/dashboard/posts/${postId}` : null;
  const next = form.text("next");
  try {
    const confirmationToken = form.text("confirmation_token");
    await repeatUntilVisible(() => confirmEdit(contextOf(c), { confirmationToken }));
  } catch (error) {
    if (!(error instanceof RefusalError)) {
      throw error;
    }
    return renderPage(
      c,
      <RefusedPage
        services={services}
        signedIn={signedIn}
        display={displayOf(c)}
        refusal={error.refusal}
        postPath={postPath}
        slot={await renderTakenSlot(c, error.refusal, { postPath, params })}
      />,
      400,
    );
  }
  return c.redirect(withDone(next === "" ? (postPath ?? "/dashboard") : localPath(next), "saved"), 303);
}
