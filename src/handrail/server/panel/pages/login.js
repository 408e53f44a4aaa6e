// Exchanges the one-time code behind the # for a cookie. The code is in no request line and no log.
const says = document.getElementById("says");
const form = document.getElementById("form");
const input = document.getElementById("code");

async function logIn(code) {
  says.textContent = "Logging in …";
  let answer, message;
  try {
    answer = await fetch("/api/v1/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code }),
    });
    message = await answer.json();
  } catch {
    says.textContent = "The daemon does not answer. Is it running? handrail status";
    return;
  }
  if (!answer.ok) {
    says.textContent = message.detail || message.title || "This did not work.";
    input.focus();
    return;
  }
  // Cookies go to every port of this machine; the key stays with this origin.
  localStorage.setItem("handrail.key", message.key);
  const next = new URLSearchParams(location.search).get("next") || "/";
  location.replace(/^\/(?![/\\])/.test(next) ? next : "/");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn(input.value);
});

function useFragment() {
  const code = location.hash.slice(1);
  if (code) {
    history.replaceState(null, "", location.pathname + location.search);
    logIn(code);
  }
}

addEventListener("hashchange", useFragment);
useFragment();
