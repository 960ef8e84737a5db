import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { type AuthorizationRequest, type ConsentChoice, isLoopback } from "#auth/oauth/index.ts";
import { ConfirmsChoice } from "#dashboard/layout/confirms.tsx";
import { WorkspaceChoice } from "#dashboard/layout/workspace-choice.tsx";
import { AuthLayout } from "#dashboard/layout/layout.tsx";
import { Notice, ScopeCheckboxes } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";

/** Details that distinguish an app from another app with the same name. */
const AppDetails: FC<{ request: AuthorizationRequest; email: string; isForAgents: boolean }> = (props) => {
  const { request, email, isForAgents } = props;
  return (
    <dl class="details">
      <dt>Signed in as</dt>
      <dd>{email}</dd>
      <dt>Connects</dt>
      <dd>{isForAgents ? "as an agent tool" : "through the API"}</dd>
      {request.client.kind === "metadata_document" && (
        <>
          <dt>App identified by</dt>
          <dd>{new URL(request.client.id).host}</dd>
        </>
      )}
      {request.client.uri !== null && (
        <>
          <dt>Website</dt>
          <dd>{new URL(request.client.uri).host}</dd>
        </>
      )}
      <dt>Redirects to</dt>
      <dd>{new URL(request.redirectUri).host}</dd>
    </dl>
  );
};

export const ConsentPage: FC<{
  request: AuthorizationRequest;
  signedIn: SignedInUser;
  query: string;
  csrfToken: string;
  /** True if the request is for the MCP server, false if it is for the API. */
  isForAgents: boolean;
  /** The preselected answers. */
  choice: ConsentChoice;
  error: FormError | undefined;
}> = ({ request, signedIn, query, csrfToken, isForAgents, choice, error }) => (
  <AuthLayout
    title={`Authorize ${request.client.name}`}
    script={false}
    footer="You can revoke access at any time under AI & API."
  >
    <h1>
      <bdi>{request.client.name}</bdi> wants to access your Almanac account
    </h1>
    {error !== undefined && <Notice kind="error">{toSentence(error.message)}</Notice>}
    <AppDetails request={request} email={signedIn.email} isForAgents={isForAgents} />
    {isLoopback(request.redirectUri) && (
      <Notice kind="info">
        This app runs on your own computer. Continue only if you have just started it yourself: any program on it could
        use its name.
      </Notice>
    )}
    <form method="post" action={`/oauth/authorize${query}`}>
      <input type="hidden" name="csrf_token" value={csrfToken} />
      <ScopeCheckboxes legend="Requested permissions" scopes={request.scopes} selected={request.scopes} />
      {request.scopes.includes("posts:write") && (
        <ConfirmsChoice order={["person", "self"]} holder="The app confirms itself" selected={choice.confirms} />
      )}
      <WorkspaceChoice workspaces={signedIn.workspaces} selected={choice.workspaceId ?? ""} error={error} />
      <div class="actions">
        <button name="decision" value="allow">
          Allow
        </button>
        <button class="secondary" name="decision" value="deny">
          Deny
        </button>
      </div>
    </form>
    <form method="post" action="/logout">
      <input type="hidden" name="next" value={`/oauth/authorize${query}`} />
      <button class="link">Not you? Sign in with another account</button>
    </form>
  </AuthLayout>
);

/**
 * The page for an invalid request of an app. `returnUrl` is set if a click may send the error to the app: its redirect
 * URI is valid, but the user has never approved it.
 */
export const AuthorizationErrorPage: FC<{ message: string; returnUrl?: string | undefined }> = ({
  message,
  returnUrl,
}) => (
  <AuthLayout title="This request cannot be completed" script={false}>
    <h1>This request cannot be completed</h1>
    <Notice kind="error">{message}</Notice>
    <p>Go back to the app and try again, or report this message to its developer.</p>
    <p>
      <a class="button" href="/dashboard">
        Go to the dashboard
      </a>
    </p>
    {returnUrl !== undefined && (
      <p>
        <a href={returnUrl} rel="noreferrer">
          Return to {new URL(returnUrl).host}
        </a>{" "}
        only if you know this address.
      </p>
    )}
  </AuthLayout>
);
