import type { Child, FC } from "hono/jsx";
import { AuthLayout } from "#dashboard/layout/layout.tsx";
import type { Operator } from "./operator.ts";

/** The contact as a link that a browser can open. */
export const Contact: FC<{ operator: Operator }> = ({ operator: { contact } }) => (
  <a href={/^https?:/.test(contact) ? contact : `mailto:${contact}`}>{contact}</a>
);

/** A page that anybody can read, with links to the others; it needs no script. */
export const PublicLayout: FC<{ title: string; operator: Operator; children?: Child }> = ({
  title,
  operator,
  children,
}) => (
  <AuthLayout
    title={title}
    script={false}
    isText
    footer={
      <>
        <a href="/privacy">Privacy</a> · <a href="/terms">Terms</a> · <a href="/data-deletion">Data deletion</a>
        {" · "}
        {operator.name}
      </>
    }
  >
    <h1>{title}</h1>
    {children}
  </AuthLayout>
);
