import type { Child, FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";

const Logo: FC = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect x="3" y="6" width="26" height="23" rx="6" fill="currentColor" />
    <path d="M10 3v7M22 3v7" stroke="currentColor" stroke-width="3" stroke-linecap="round" />
    <path class="logo-sun" d="M9 24a7 7 0 0 1 14 0" />
    <path class="logo-line" d="M7 24h18" />
  </svg>
);

const Document: FC<{ title: string; script?: boolean; children?: Child }> = ({ title, script = true, children }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Almanac`}</title>
      <link rel="icon" href="/icon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/app.css" />
      {script && <script type="module" src="/app.js"></script>}
    </head>
    <body>{children}</body>
  </html>
);

/** The layout of sign-in, consent and error pages: one centred card. `script={false}` for pages that need no script. */
export const AuthLayout: FC<{
  title: string;
  script?: boolean;
  /** A wider card for a page of running text. */
  isText?: boolean;
  children?: Child;
  footer?: Child;
}> = (props) => (
  <Document title={props.title} script={props.script ?? true}>
    <div class="auth-layout">
      <header>
        <a class="brand" href="/">
          <Logo /> Almanac
        </a>
      </header>
      <main class={props.isText ? "card text" : "card"}>{props.children}</main>
      {props.footer !== undefined && <footer class="auth-footer">{props.footer}</footer>}
    </div>
  </Document>
);

export type Section = "overview" | "access" | "workspaces" | "plan" | "profile";

/** The sections of the dashboard, in the order of the menu. */
const MENU: readonly { section: Section; href: string; label: string }[] = [
  { section: "overview", href: "/dashboard", label: "Overview" },
  { section: "access", href: "/dashboard/keys", label: "AI & API" },
  { section: "workspaces", href: "/dashboard/workspaces", label: "Workspaces" },
  { section: "plan", href: "/dashboard/plan", label: "Plan" },
  { section: "profile", href: "/dashboard/profile", label: "Profile" },
];

/** A page of the dashboard: menu, heading, content. */
export const DashboardLayout: FC<{
  title: string;
  section: Section;
  signedIn: SignedInUser;
  lead?: Child;
  children?: Child;
}> = ({ title, section, signedIn, lead, children }) => (
  <Document title={title}>
    <a class="skip-link" href="#content">
      Skip to content
    </a>
    <header class="top-bar">
      <a class="brand" href="/dashboard">
        <Logo /> Almanac
      </a>
      <nav aria-label="Dashboard">
        <ul>
          {MENU.map((entry) => (
            <li>
              <a href={entry.href} aria-current={entry.section === section ? "page" : undefined}>
                {entry.label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <form class="sign-out" method="post" action="/logout">
        <span class="user-email">{signedIn.email}</span>
        <button class="secondary">Sign out</button>
      </form>
    </header>
    {!signedIn.actor.subscribed && section !== "plan" && (
      <p class="banner" role="status">
        Your subscription has ended: API calls are refused and scheduled posts are paused.{" "}
        <a href="/dashboard/plan">Choose a plan</a>
      </p>
    )}
    <main id="content" class="page">
      <h1>{title}</h1>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </main>
  </Document>
);
