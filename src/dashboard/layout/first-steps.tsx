import type { Child, FC } from "hono/jsx";
import type { PostHistory } from "#posts/index.ts";

interface FirstStepsProps {
  readonly hasAccounts: boolean;
  readonly history: PostHistory;
  readonly timeZone: string;
  /** What the service offers in a workspace without posts. */
  readonly offer: Child;
}

interface Step {
  readonly isDone: boolean;
  readonly content: Child;
}

function stepsOf({ hasAccounts, history }: FirstStepsProps): readonly Step[] {
  return [
    {
      isDone: hasAccounts,
      content: (
        <>
          <a href="/dashboard/accounts">Connect an account</a> to publish to.
        </>
      ),
    },
    {
      isDone: history.hasPosts,
      content: (
        <>
          <a href="/dashboard/posts/new">Write your first post</a>: a text is enough, pictures and videos come from your{" "}
          <a href="/dashboard/media">media</a>.
        </>
      ),
    },
    {
      isDone: history.hasPublished,
      content: (
        <>
          See it in your <a href="/dashboard">calendar</a>, and how it was published.
        </>
      ),
    },
  ];
}

/** The first steps of a new user. The first published post removes the list for good. */
export const FirstSteps: FC<FirstStepsProps> = (props) => {
  const { history, timeZone, offer } = props;
  if (history.hasPublished) {
    return null;
  }
  const steps = stepsOf(props);
  return (
    <section class="card" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <p class="hint">{`${steps.filter(({ isDone }) => isDone).length} of ${steps.length} done`}</p>
      <ol class="plain-list">
        {steps.map(({ isDone, content }) => (
          <li>
            <span role="img" aria-label={isDone ? "Done" : "Open"}>
              {isDone ? "✓" : "○"}
            </span>{" "}
            {content}
          </li>
        ))}
      </ol>
      {!history.hasPosts && offer}
      <p class="hint">
        Times are shown in {timeZone.replaceAll("_", " ")}; <a href="/dashboard/profile">change the time zone</a> if
        that is not yours. If you like, <a href="/dashboard/how-to-connect">let an agent or a program</a> plan posts
        with you.
      </p>
    </section>
  );
};
