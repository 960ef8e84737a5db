import type { FC } from "hono/jsx";
import type { Platform } from "#core/platform.ts";
import { PlatformBadge } from "./components.tsx";

interface Profile {
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
}

/**
 * Shows an account's picture. If there is none, or if it fails to load, the style sheet shows the first letter of the
 * name.
 */
export const Avatar: FC<{ account: Profile & { readonly platform: Platform } }> = ({ account }) => {
  const initial = [...account.displayName][0]?.toUpperCase() ?? "";
  return (
    <span class="avatar">
      {account.avatarUrl === null ? (
        <span aria-hidden="true">{initial}</span>
      ) : (
        <img
          src={account.avatarUrl}
          alt=""
          data-initial={initial}
          loading="lazy"
          width="48"
          height="48"
          referrerpolicy="no-referrer"
        />
      )}
      <PlatformBadge platform={account.platform} isDecorative />
    </span>
  );
};

/** The account's handle. A username is a name at platforms without handles. */
export function handleOf({ username, displayName }: Pick<Profile, "username" | "displayName">): string {
  return username === displayName || /\s/.test(username) ? username : `@${username.replace(/^@/, "")}`;
}
