/** For people who came without the one-time link of `handrail panel`. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, api } from "../../api/client";
import { navigate, place } from "../../frame/router";
import { health, reconnect, session } from "../../live/connection";
import { reloads } from "../../live/runs";
import { nextPlace } from "./nextPlace";

export default function LoginPage() {
  const text = useSignal("");
  const problem = useSignal("");
  const busy = useSignal(false);

  async function logIn(event: Event): Promise<void> {
    event.preventDefault();
    busy.value = true;
    problem.value = "";
    const given = text.value.trim();
    try {
      session.value = await api.post("/session", {}, given.length > 24 ? { token: given } : { code: given });
      reconnect();
      navigate(nextPlace(place.value.query.get("next")), { replace: true });
    } catch (error) {
      const wrong = error instanceof ApiError && error.problem.status === 401;
      problem.value = wrong ? "That is not right, or it has expired." : (error as Error).message;
    } finally {
      busy.value = false;
    }
  }

  // Another tab may have logged in meanwhile.
  useEffect(() => {
    if (health.value === "live") navigate(nextPlace(place.value.query.get("next")), { replace: true });
  }, [health.value, reloads.value]);

  return (
    <main id="main" class="login">
      <form class="card login-card" onSubmit={logIn}>
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
