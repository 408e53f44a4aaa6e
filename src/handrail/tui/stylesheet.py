"""How the screen looks, in Textual's CSS. Colours come from the theme that a person chose."""

CSS = """
#panes { height: 1fr; }
#top { height: 1; padding: 0 1; background: $panel; }
#alert { height: auto; max-height: 3; padding: 0 1; }
#alert { background: $error; color: $text; text-style: bold; }
#empty { height: 1fr; padding: 1 2; }

#runs, #tasks, #timeline, #detail, #needs {
    border: round $foreground 30%;
    border-title-color: $foreground;
    border-title-style: bold;
    border-subtitle-color: $text-muted;
    background: $background;
    padding: 0;
    scrollbar-size: 0 1;
    scrollbar-gutter: stable;
    overflow-x: hidden;
}
#runs:focus, #tasks:focus, #timeline:focus {
    border: round $border; background-tint: $background 0%;
}
#runs { height: auto; max-height: 40%; min-height: 4; }
#tasks { height: auto; max-height: 35%; min-height: 4; }
.-fleet #runs { max-height: 25%; }
#panes .datatable--header { background: $background; color: $text-muted; text-style: none; }
#panes .datatable--even-row, #panes .datatable--odd-row { background: $background; }
#needs { height: auto; max-height: 50%; border: round $error; border-title-color: $text-error; }
#lower { height: 1fr; min-height: 5; layout: horizontal; }
#timeline { width: 1fr; height: 1fr; max-height: 100%; }
#detail { width: 2fr; height: 1fr; }

.-wide #timeline { width: 3fr; }
.-narrow #lower { layout: vertical; }
.-narrow #timeline, .-narrow #detail { width: 1fr; }
.-narrow #detail { height: 2fr; }
.-narrow.-details #runs { max-height: 25%; }
.-narrow #detail { display: none; }
.-narrow.-details #detail { display: block; }

#sent { height: auto; max-height: 3; padding: 0 1; }
#prompt { height: auto; max-height: 9; padding: 0 1; background: $panel; }
#prompt { border-top: heavy $border; }
#prompt.-grave { border-top: heavy $error; }
#question { height: auto; max-height: 5; }
#line { height: 1; }
#label { width: auto; text-style: bold; }
#answer { width: 1fr; height: 1; }

Footer.-compact FooterKey.-command-palette { padding-right: 1; margin: 0; }

DecisionScreen, HelpScreen { align: center middle; }
#decision, #help {
    width: 76; max-width: 95%; height: auto; max-height: 90%;
    border: round $border; border-title-style: bold; background: $surface; padding: 1 2;
}
#help { width: 80; max-width: 100%; padding: 0; }
#help-text { width: auto; }
#decision OptionList { border: none; padding: 0; margin: 1 0; height: auto; }
#decision-question { max-height: 8; }
#decision-keys { color: $text-muted; }

App.-no-colour .datatable--cursor, App.-no-colour .option-list--option-highlighted {
    text-style: reverse;
}
"""
