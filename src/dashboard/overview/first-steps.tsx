import type { Child, FC } from "hono/jsx";
import type { Overview } from "#posts/index.ts";

interface Step {
  readonly isDone: boolean;
  readonly content: Child;
}

function stepsOf(overview: Overview): readonly Step[] {
  return [
    {
      isDone: overview.accounts.length > 0,
      content: (
        <>
          <a href="/dashboard/accounts">Connect an account</a> to publish to.
        </>
      ),
    },
    {
      isDone: overview.hasPosts,
      content: (
        <>
          <a href="/dashboard/posts/new">Write your first post</a>: a text is enough, pictures and videos come from your{" "}
          <a href="/dashboard/media">media</a>.
        </>
      ),
    },
    {
      isDone: overview.hasPublished,
      content: (
        <>
          See it in your <a href="/dashboard">calendar</a>, and how it was published.
        </>
      ),
    },
  ];
}

/** The first steps of a new user. The first published post removes the list for good. */
export const FirstSteps: FC<{ overview: Overview; timeZone: string }> = ({ overview, timeZone }) => {
  if (overview.hasPublished) {
    return null;
  }
  const steps = stepsOf(overview);
  return (
    <section class="card first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">
        First steps <span class="hint">{`${steps.filter(({ isDone }) => isDone).length} of ${steps.length} done`}</span>
      </h2>
      <ol>
        {steps.map(({ isDone, content }) => (
          <li class={isDone ? "done" : undefined}>
            <span class="step-mark" role="img" aria-label={isDone ? "Done" : "Open"}>
              {isDone ? "✓" : ""}
            </span>
            <span>{content}</span>
          </li>
        ))}
      </ol>
      <p class="hint">
        Times are shown in {timeZone.replaceAll("_", " ")}; <a href="/dashboard/profile">change the time zone</a> if
        that is not yours. If you like, <a href="/dashboard/how-to-connect">let an agent or a program</a> plan posts
        with you.
      </p>
    </section>
  );
};
