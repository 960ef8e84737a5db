import type { Child, FC } from "hono/jsx";
import type { SignedIn } from "#auth/index.ts";

const Mark: FC = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect x="3" y="6" width="26" height="23" rx="6" fill="currentColor" />
    <path d="M10 3v7M22 3v7" stroke="currentColor" stroke-width="3" stroke-linecap="round" />
    <path class="mark-sun" d="M9 24a7 7 0 0 1 14 0" />
    <path class="mark-line" d="M7 24h18" />
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

/** A page for somebody at the door: one card in the middle. `script` is off where no script has any business. */
export const Door: FC<{ title: string; script?: boolean; children?: Child; below?: Child }> = (props) => (
  <Document title={props.title} script={props.script ?? true}>
    <div class="door">
      <header>
        <a class="brand" href="/">
          <Mark /> Almanac
        </a>
      </header>
      <main class="card">{props.children}</main>
      {props.below !== undefined && <footer class="below">{props.below}</footer>}
    </div>
  </Document>
);

export type Section = "overview" | "access" | "workspaces" | "plan" | "profile";

/** The rooms of the dashboard, in the order of the menu. */
const MENU: readonly { section: Section; href: string; label: string }[] = [
  { section: "overview", href: "/dashboard", label: "Overview" },
  { section: "access", href: "/dashboard/keys", label: "AI & API" },
  { section: "workspaces", href: "/dashboard/workspaces", label: "Workspaces" },
  { section: "plan", href: "/dashboard/plan", label: "Plan" },
  { section: "profile", href: "/dashboard/profile", label: "Profile" },
];

/** A page of the dashboard: menu, heading, content. */
export const Room: FC<{
  title: string;
  section: Section;
  signedIn: SignedIn;
  lead?: Child;
  children?: Child;
}> = ({ title, section, signedIn, lead, children }) => (
  <Document title={title}>
    <a class="skip" href="#content">
      Skip to content
    </a>
    <header class="top">
      <a class="brand" href="/dashboard">
        <Mark /> Almanac
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
      <form class="leave" method="post" action="/logout">
        <span class="who">{signedIn.email}</span>
        <button class="quiet">Sign out</button>
      </form>
    </header>
    {!signedIn.actor.subscribed && section !== "plan" && (
      <p class="banner" role="status">
        Your subscription has ended: the API answers 403 and scheduled posts are paused.{" "}
        <a href="/dashboard/plan">Choose a plan</a>
      </p>
    )}
    <main id="content" class="room">
      <h1>{title}</h1>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </main>
  </Document>
);
