import type { FC } from "hono/jsx";

const TABS = [
  { tab: "keys", href: "/dashboard/keys", label: "API keys" },
  { tab: "apps", href: "/dashboard/apps", label: "Connected apps" },
  { tab: "webhooks", href: "/webhooks", label: "Webhooks" },
  { tab: "how", href: "/dashboard/how-to-connect", label: "How to connect" },
] as const;

export const ApiAccessTabs: FC<{ current: (typeof TABS)[number]["tab"] }> = ({ current }) => (
  <nav class="tabs" aria-label="AI & API">
    <ul>
      {TABS.map(({ tab, href, label }) => (
        <li>
          <a href={href} aria-current={tab === current ? "page" : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);
