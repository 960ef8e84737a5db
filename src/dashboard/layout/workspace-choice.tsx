import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { FormError } from "#dashboard/request/form.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";

type Workspaces = SignedInUser["workspaces"];

/** The choice of the only workspace of a key or an app. A user with one workspace has nothing to choose. */
export const WorkspaceChoice: FC<{
  workspaces: Workspaces;
  selected: string;
  error?: FormError | undefined;
}> = ({ workspaces, selected, error }) =>
  workspaces.length < 2 ? null : (
    <div class="field">
      <label for="workspace">Workspace</label>
      <select id="workspace" name="workspace" aria-describedby="workspace-hint">
        <option value="">All: each call can name one</option>
        {workspaces.map(({ id, name }) => (
          <option value={id} selected={id === selected}>
            Only {name}
          </option>
        ))}
      </select>
      <p class="hint" id="workspace-hint">
        You cannot change this later.
      </p>
      {error?.param === "workspace" && (
        <p class="field-error" role="alert">
          {toSentence(error.message)}
        </p>
      )}
    </div>
  );

/** The only workspace of a key or an app, for a list. */
export const WorkspaceNote: FC<{ workspaceId: string | null; workspaces: Workspaces }> = (props) => {
  const { workspaceId, workspaces } = props;
  return workspaceId === null ? null : (
    <span>
      Only in <bdi>{workspaces.find(({ id }) => id === workspaceId)?.name ?? "a workspace that no longer exists"}</bdi>
    </span>
  );
};
