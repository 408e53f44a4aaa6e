/** Rows of long lists: most of them are the same as before. */
import { Component, type ComponentChildren, type ComponentType } from "preact";

/** Returns a component that is drawn again only when one of its properties is another one, or a signal in it. */
export function memo<P extends object>(draw: (properties: P) => ComponentChildren): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !isSame(this.props, next);
    }

    override render(): ComponentChildren {
      return draw(this.props);
    }
  };
}

/** Returns whether two objects have the same values. */
export function isSame<P extends object>(one: P, other: P): boolean {
  const names = Object.keys(one) as (keyof P)[];
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
