"""From where the panel is reached: what Handrail refuses to do in the clear."""

import pytest

from handrail.config.panel import PanelSettings, PanelTls, split_address

TLS = PanelTls("/cert.pem", "/key.pem")


@pytest.mark.parametrize("listen", ["0.0.0.0:8443", "192.168.1.5:80", "[::]:8443"])
def test_listening_elsewhere_needs_tls_or_a_persons_word(listen: str) -> None:
    with pytest.raises(ValueError, match="in the clear"):
        PanelSettings(listen=listen)
    assert PanelSettings(listen=listen, tls=TLS).has_tls
    assert not PanelSettings(listen=listen, insecure=True).has_tls


@pytest.mark.parametrize("listen", ["127.0.0.1:8443", "[::1]:8443", "127.9.9.9:80"])
def test_loopback_needs_neither(listen: str) -> None:
    assert PanelSettings(listen=listen).listen_address


@pytest.mark.parametrize(
    "text", ["8443", ":8443", "localhost:8443", "1.2.3.4", "1.2.3.4:0", "1.2.3.4:65536", "::1:x"]
)
def test_an_address_has_numbers_and_a_port(text: str) -> None:
    with pytest.raises(ValueError, match="8443"):
        split_address(text)


def test_brackets_stand_around_the_newer_kind() -> None:
    assert split_address("[fe80::1]:8443") == ("fe80::1", 8443)


def test_a_certificate_needs_its_key() -> None:
    with pytest.raises(ValueError, match="both"):
        PanelSettings(tls=PanelTls(cert="/cert.pem"))


@pytest.mark.parametrize("url", ["https://box.example.net", "http://10.0.0.2:8080/"])
def test_an_address_for_links_is_that_of_a_site(url: str) -> None:
    assert PanelSettings(url=url).url == url


@pytest.mark.parametrize(
    "url",
    ["box", "ftp://box", "https://", "https://box/path", "https://u@box", "http://box:x",
     "https://box/?a=1", "https://box/#a", "javascript:alert(1)"],
)  # fmt: skip
def test_anything_else_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="url"):
        PanelSettings(url=url)
