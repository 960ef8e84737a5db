import type { Child, FC } from "hono/jsx";
import type { Overview } from "#posts/index.ts";

interface Step {
  readonly isDone: boolean;
  readonly content: Child;
}

function stepsOf(overview: Overview, timeZone: string): readonly Step[] {
  return [
    {
      // Somebody who scheduled a post has seen the zone beside its time, so UTC is their choice.
      isDone: timeZone !== "UTC" || overview.hasPosts,
      content: (
        <>
          <a href="/dashboard/profile">Set your time zone</a>: times are shown in {timeZone.replaceAll("_", " ")} now.
        </>
      ),
    },
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
          <a href="/dashboard/posts/new">Plan your first post</a>: a text is enough, pictures and videos come from your{" "}
          <a href="/dashboard/media">media</a>.
        </>
      ),
    },
    {
      isDone: overview.hasPublished,
      content: (
        <>
          See it published in your <a href="/dashboard">calendar</a>.
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
  const steps = stepsOf(overview, timeZone);
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
        If you like, <a href="/dashboard/how-to-connect">let an agent or a program</a> plan posts with you.
      </p>
    </section>
  );
};
