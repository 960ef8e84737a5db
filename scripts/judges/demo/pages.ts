import type { DemoWorkspace } from "./demo-workspace.ts";

/** The pages that judges look at, by name; `isPublic` ones without a session. */
export function demoPages({
  posts,
  approval,
  webhook,
  delivery,
  month,
}: DemoWorkspace): readonly { name: string; path: string; isPublic?: true }[] {
  return [
    { name: "front", path: "/", isPublic: true },
    { name: "sign-in", path: "/login", isPublic: true },
    { name: "sign-up", path: "/signup", isPublic: true },
    { name: "calendar", path: `/dashboard?view=month&date=${month}` },
    { name: "calendar-week", path: "/dashboard?view=week" },
    { name: "calendar-list", path: `/dashboard?view=list&date=${month}` },
    { name: "archive", path: "/dashboard/archive" },
    { name: "move", path: `/dashboard/posts/${posts.scheduled}/move` },
    { name: "composer", path: `/dashboard/posts/new?duplicate=${posts.published}` },
    { name: "composer-empty", path: "/dashboard/posts/new" },
    { name: "composer-edit", path: `/dashboard/posts/${posts.scheduled}/edit` },
    { name: "post", path: `/dashboard/posts/${posts.scheduled}` },
    { name: "post-published", path: `/dashboard/posts/${posts.published}` },
    { name: "post-failed", path: `/dashboard/posts/${posts.failed}` },
    { name: "post-partial", path: `/dashboard/posts/${posts.partial}` },
    { name: "retry", path: `/dashboard/posts/${posts.failed}/retry` },
    { name: "overview", path: "/dashboard/overview" },
    { name: "approvals", path: "/approvals" },
    { name: "approval", path: `/approvals/${approval}` },
    { name: "notices", path: "/notices" },
    { name: "media", path: "/dashboard/media" },
    { name: "accounts", path: "/dashboard/accounts" },
    { name: "keys", path: "/dashboard/keys" },
    { name: "apps", path: "/dashboard/apps" },
    { name: "webhooks", path: "/webhooks" },
    { name: "webhook", path: `/webhooks/${webhook}` },
    { name: "delivery", path: `/webhooks/${webhook}/deliveries/${delivery}` },
    { name: "how-to-connect", path: "/dashboard/how-to-connect" },
    { name: "workspaces", path: "/dashboard/workspaces" },
    { name: "plan", path: "/dashboard/plan" },
    { name: "profile", path: "/dashboard/profile" },
  ];
}
