/** What a page says when there is nothing to show, and what to do then. */
import type { ComponentChildren } from "preact";

interface EmptyProps {
  title: string;
  children?: ComponentChildren;
  /** It stands for the whole page, so that its title is the page's. */
  page?: boolean;
}

export function Empty({ title, children, page = false }: EmptyProps) {
  return (
    <div class="empty">
      {page ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
      {children}
    </div>
  );
}
