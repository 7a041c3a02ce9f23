"""The researcher's page in a real browser: it moves without reloading, on a phone and on a desk."""

from __future__ import annotations

import pytest

from tests.support.browser import accessibility_problems, picture
from tests.support.folders import ROOT
from tests.support.researchers import PASSWORD, busy_world
from tests.support.web import served

SCREENSHOTS = ROOT / "build" / "screenshots"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A study in its third round, served; its world and its address."""
    world = busy_world(tmp_path_factory.mktemp("desk") / "study")
    world.store.add_program("a model")
    with served(world.app()) as address:
        yield world, address
    world.store.close()


@pytest.fixture
def opened(browser, site):
    """Opens the page and logs in; anything that goes wrong on it, or comes from elsewhere, is an error."""
    contexts, wrong = [], []
    world, address = site

    def opened(width=1440, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(address) else wrong.append(r.url))
        page.goto(f"{address}/admin")
        page.fill("#password", PASSWORD)
        page.click("text=Log in")
        page.wait_for_selector("table.crowd", state="attached")
        return page

    yield opened
    if world.store.state == "paused":
        world.store.resume()
    for context in contexts:
        context.close()
    assert wrong == []


def shoot(page, name):
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    picture(page, SCREENSHOTS / f"{name}.png", full_page=True)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (768, "dark"), (1440, "light"), (1600, "dark")])
def test_it_fits_and_nothing_stands_in_the_way_of_assistive_technology(opened, width, scheme):
    page = opened(width=width, color_scheme=scheme)
    shoot(page, f"dashboard-{width}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert accessibility_problems(page) == ""
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert accessibility_problems(page) == ""


@pytest.mark.slow
def test_it_moves_without_reloading_and_keeps_what_is_open_and_focused(opened, site):
    from playwright.sync_api import expect

    world, _ = site
    page = opened()
    page.evaluate("window.stayed = true")
    page.click("#why-workers summary")
    page.focus("#do-replan button")
    page.evaluate("document.querySelector('#crowd-scroll').scrollLeft = 5")
    before = page.inner_text("#tile-judgments .value")
    row = page.locator("table.crowd tbody tr").first
    row.evaluate("(each) => (each.marked = each.id)")
    assert world.work(["somebody new"], 1) == 1
    expect(page.locator("#tile-judgments .value")).not_to_have_text(before, timeout=60_000)
    assert page.evaluate("window.stayed") is True
    assert page.evaluate("document.querySelector('#why-workers').open") is True
    assert page.evaluate("document.activeElement.closest('form').id") == "do-replan"
    name = world.store.find_worker("somebody new").name
    page.wait_for_selector(f"#w-{name}", timeout=90_000)  # numbers about workers come a little later
    assert (
        page.evaluate("[...document.querySelectorAll('.crowd tr')].filter((e) => e.marked && e.marked !== e.id).length")
        == 0
    )
    assert page.inner_text("#announced") == ""  # nothing that matters changed
    world.store.pause()
    page.wait_for_selector("#do-resume")
    assert page.inner_text("#announced").startswith("Paused.")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))
    assert accessibility_problems(page) == ""


@pytest.mark.slow
def test_it_says_when_the_numbers_stand_still_and_goes_on_after(opened):
    page = opened()
    page.route("**/admin/live", lambda route: route.fulfill(status=200, body="<p>not the page</p>"))
    page.wait_for_selector("#stale:not([hidden])")
    page.unroute("**/admin/live")
    page.wait_for_selector("#stale", state="hidden", timeout=60_000)


def test_everything_works_without_scripts(opened, site):
    world, address = site
    page = opened(java_script_enabled=False)
    page.click("text=Pause")
    assert "Paused" in page.inner_text(".notice")
    assert world.store.state == "paused"
    page.click("text=Resume")
    assert world.store.state == "running"
    page.click("#why-spending summary")
    assert page.is_visible("#why-spending p")
    page.click("text=Close…")
    shoot(page, "dashboard-close")
    assert accessibility_problems_free(page)
    page.click("text=No, go back")
    assert page.url == f"{address}/admin"
    with page.expect_download() as download:
        page.click("text=Bonuses CSV")
    assert download.value.suggested_filename == "bonuses.csv"


def accessibility_problems_free(page):
    """axe needs scripts; without them it is enough that the page has a heading and one way back."""
    return page.locator("h1").count() == 1 and page.locator("a.button").count() == 1


@pytest.mark.slow
def test_the_other_pages_are_accessible(opened, site):
    _, address = site
    page = opened(width=360)
    page.click("#do-fit button")
    page.wait_for_selector(".formula")
    shoot(page, "dashboard-fit")
    assert accessibility_problems(page) == ""
    page.goto(f"{address}/admin")
    page.fill("#count", "12")
    page.click("text=Make links")
    page.wait_for_selector(".secrets")
    shoot(page, "dashboard-links")
    assert accessibility_problems(page) == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.goto(f"{address}/admin")
    page.fill("#program", "another model")
    page.click("text=Make a token")
    page.wait_for_selector(".secret")
    shoot(page, "dashboard-token")
    assert accessibility_problems(page) == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.goto(f"{address}/admin/close")
    assert accessibility_problems(page) == ""
    page.goto(f"{address}/admin")
    page.click("text=Log out")
    page.wait_for_selector("#password")
    shoot(page, "dashboard-login")
    assert accessibility_problems(page) == ""


def test_it_prints(opened):
    page = opened()
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 673, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 673
    assert not page.locator(".buttons").is_visible()
