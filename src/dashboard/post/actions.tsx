import type { FC } from "hono/jsx";
import { ConfirmForm } from "#dashboard/layout/components.tsx";
import type { AllowedActions } from "./allowed-actions.ts";

const PostButton: FC<{ action: string; label: string; isMain?: boolean }> = ({ action, label, isMain = false }) => (
  <form method="post" action={action}>
    <button class={isMain ? undefined : "secondary"}>{label}</button>
  </form>
);

const ActionLink: FC<{ href: string; label: string; isMain?: boolean }> = ({ href, label, isMain = false }) => (
  <a class={isMain ? "button" : "button secondary"} href={href}>
    {label}
  </a>
);

/** Buttons for the actions that the post allows now. Actions that ask for confirmation come last. */
export const PostActions: FC<{ postId: string; actions: AllowedActions }> = ({ postId, actions }) => {
  const path = `/dashboard/posts/${postId}`;
  return (
    <div class="item-actions">
      {actions.retry && <ActionLink href={`${path}/retry`} label="Try again what failed" isMain />}
      {actions.resume && <PostButton action={`${path}/resume`} label="Resume" isMain />}
      {actions.edit && <ActionLink href={`${path}/edit`} label="Edit" />}
      {actions.move && (
        <ActionLink href={`${path}/move?next=${encodeURIComponent(path)}`} label="Move to another time" />
      )}
      <ActionLink href={`/dashboard/posts/new?duplicate=${postId}`} label="Duplicate" />
      {actions.pause && <PostButton action={`${path}/pause`} label="Pause" />}
      {actions.cancel === "post" && (
        <ConfirmForm
          action={`${path}/cancel`}
          verb="Cancel"
          target="this post"
          keepHref={path}
          description="The post will not be published, and leaves the calendar. It can be read and duplicated on this page for 30 more days. This cannot be undone."
        />
      )}
      {actions.cancel === "retry" && (
        <ConfirmForm
          action={`${path}/cancel`}
          verb="Stop"
          target="trying again"
          description="A part of this post is public, or may be, and stays as it is at the platforms. The accounts that are still waiting are not tried again."
        />
      )}
    </div>
  );
};
