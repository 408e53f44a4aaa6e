/** Exchanges the code behind the # of a one-time link, or what people type, for a cookie. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, api, keepKey } from "../../api/client";
import { navigate, place } from "../../frame/router";
import { health, reconnect, session } from "../../live/connection";
import { reloads } from "../../live/runs";
import { nextPlace } from "./nextPlace";

/** Codes have 26 letters and digits, and people may put gaps between them; tokens have 43. */
const CODE_LENGTH = 40;

export default function LoginPage() {
  const text = useSignal("");
  const problem = useSignal("");
  const busy = useSignal(false);

  async function logIn(given: string): Promise<void> {
    busy.value = true;
    problem.value = "";
    try {
      session.value = await api.post("/session", {}, given.length > CODE_LENGTH ? { token: given } : { code: given });
      keepKey(session.value.key);
      reconnect();
      navigate(nextPlace(place.value.query.get("next")), { replace: true });
    } catch (error) {
      const wrong = error instanceof ApiError && error.problem.status === 401;
      problem.value = wrong ? "That is not right, or it has expired." : (error as Error).message;
    } finally {
      busy.value = false;
    }
  }

  function submit(event: Event): void {
    event.preventDefault();
    void logIn(text.value.trim());
  }

  useEffect(() => {
    const code = location.hash.slice(1);
    if (!code) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    void logIn(code);
  }, []);

  // Another tab may have logged in meanwhile.
  useEffect(() => {
    if (!busy.value && health.value === "live") navigate(nextPlace(place.value.query.get("next")), { replace: true });
  }, [health.value, reloads.value]);

  return (
    <main id="main" class="login">
      <form class="card login-card" onSubmit={submit}>
        <img src="/favicon.svg" alt="" width="40" height="40" />
        <h1>Handrail</h1>
        <p>
          Type <code>handrail panel</code> in a terminal. It opens this panel, already logged in.
        </p>
        <label>
          Or paste the code that it shows, or a token:
          <input
            type="password"
            autoComplete="one-time-code"
            value={text}
            required
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        {problem.value && (
          <p class="field-problem" role="alert">
            ✗ {problem.value}
          </p>
        )}
        <button type="submit" class="button button-primary" disabled={busy.value}>
          {busy.value ? "Logging in …" : "Log in"}
        </button>
      </form>
    </main>
  );
}
