import type { FC } from "hono/jsx";
import type { SignedIn } from "#auth/index.ts";
import { type AuthorizationRequest, isLoopback } from "#auth/oauth/index.ts";
import { Door } from "#dashboard/layout.tsx";
import { type FormProblem, Notice, ScopeBoxes, sentence } from "#dashboard/parts.tsx";

/** What lets a person tell one app from another that chose the same name. */
const Facts: FC<{ request: AuthorizationRequest; email: string }> = ({ request, email }) => (
  <dl class="facts">
    <dt>You are</dt>
    <dd>{email}</dd>
    {request.client.kind === "metadata_document" && (
      <>
        <dt>Described at</dt>
        <dd>{new URL(request.client.id).host}</dd>
      </>
    )}
    {request.client.uri !== null && (
      <>
        <dt>Its website</dt>
        <dd>{new URL(request.client.uri).host}</dd>
      </>
    )}
    <dt>Sends you back to</dt>
    <dd>{new URL(request.redirectUri).host}</dd>
  </dl>
);

export const Consent: FC<{
  request: AuthorizationRequest;
  signedIn: SignedIn;
  query: string;
  seal: string;
  problem: FormProblem | undefined;
}> = ({ request, signedIn, query, seal, problem }) => (
  <Door
    title={`Let ${request.client.name} in`}
    script={false}
    below="You can throw it out again at any time under AI & API."
  >
    <h1>
      <bdi>{request.client.name}</bdi> wants to use your Almanac
    </h1>
    {problem !== undefined && <Notice kind="bad">{sentence(problem.message)}</Notice>}
    <Facts request={request} email={signedIn.email} />
    {isLoopback(request.redirectUri) && (
      <Notice kind="note">
        This app runs on your own computer. Only continue if you started it yourself just now: any program there could
        use its name.
      </Notice>
    )}
    <form method="post" action={`/oauth/authorize${query}`}>
      <input type="hidden" name="seal" value={seal} />
      <ScopeBoxes legend="It asks to" scopes={request.scopes} ticked={request.scopes} />
      <div class="actions">
        <button name="decision" value="allow">
          Allow
        </button>
        <button class="quiet" name="decision" value="deny">
          Deny
        </button>
      </div>
    </form>
    <form method="post" action="/logout">
      <input type="hidden" name="next" value={`/oauth/authorize${query}`} />
      <button class="link">Not you? Sign in as somebody else</button>
    </form>
  </Door>
);

/** A request that nobody can be sent back with. */
export const DeadEnd: FC<{ message: string }> = ({ message }) => (
  <Door title="This request cannot go on" script={false}>
    <h1>This request cannot go on</h1>
    <Notice kind="bad">{message}</Notice>
    <p>Go back to the app and try again, or tell its makers what you read here.</p>
    <p>
      <a class="button" href="/dashboard">
        To the dashboard
      </a>
    </p>
  </Door>
);
