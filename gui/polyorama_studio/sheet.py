"""The one style sheet, as a template: names are filled in with the theme's tokens and metrics."""

from __future__ import annotations

__all__ = ["SHEET"]

SHEET = """
* { outline: none; }
QMainWindow { background: $ground; }
QDialog, QMessageBox { background: $panel; }
QWidget { color: $text; }
QToolTip { background: $panel; color: $text; border: 1px solid $line; padding: 1px; }

QMenuBar { background: $ground; border: none; padding: 2px $s1; }
QMenuBar::item { background: transparent; padding: $s0 $s1; border-radius: $corner; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: $raised; }
QMenu { background: $panel; border: 1px solid $line; padding: $s0; }
QMenu::item { padding: 5px $s4 5px $s1; border-radius: $corner; margin: 0; min-height: 16px; }
QMenu::item:selected { background: $raised; }
QMenu::item:disabled { color: $quiet; }
QMenu::icon { padding-left: $s1; }
QMenu::separator { height: 1px; background: $line; margin: $s0 $s1; }
QMenu::right-arrow { image: icon(chevron-right, quiet); width: 12px; height: 12px; right: $s0; }
QMenu::indicator { width: 14px; height: 14px; left: $s1; }
QMenu::indicator:checked { image: icon(check, accent); }

QMainWindow::separator { background: $ground; width: 3px; height: 3px; }
QMainWindow::separator:hover { background: $accent; }
QDockWidget { background: $panel; border: none; }
QDockWidget > QWidget { background: $panel; }
#dockButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    min-width: 20px; max-width: 20px; min-height: 20px; max-height: 20px; padding: 0;
}
#dockButton:hover { background: $raised; }
#dockButton:focus { border-color: $accent; }
#edgeStrip { background: $ground; border: none; }
#edgeStrip QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    min-width: 26px; max-width: 26px; min-height: 26px; max-height: 26px; padding: 0;
}
#edgeStrip QToolButton:hover { background: $raised; }
#edgeStrip QToolButton:focus { border-color: $accent; }
DockHost > QTabBar, DockHost > QTabBar::tab {
    min-height: 0; max-height: 0; height: 0; padding: 0; margin: 0; border: none;
}

#workspaces { background: transparent; }
#workspaceTab {
    background: transparent; color: $quiet; border: none; border-radius: 0;
    border-bottom: 2px solid transparent; padding: 3px $s1;
}
#workspaceTab:hover { color: $text; }
#workspaceTab:checked { color: $text; border-bottom-color: $accent; }
#workspaceTab:focus { color: $accent; }
#searchButton {
    background: $panel; color: $quiet; border: 1px solid $line; border-radius: $corner;
    min-height: 18px; padding: 0 $s1; font-size: $label;
}
#searchButton:hover { color: $text; border-color: $quiet; }
#searchButton:focus { border-color: $accent; }
#palette { background: $panel; border: 1px solid $line; border-radius: $card_corner; }
#palette QLineEdit {
    background: transparent; border: none; border-bottom: 1px solid $line; border-radius: 0;
    min-height: 34px; font-size: $title;
}
#palette QListView { border: none; background: transparent; }
#plainList { background: transparent; border: none; }
#plainList::item { border-radius: $corner; padding: 2px $s0; min-height: 18px; }
#plainList::item:selected { background: $raised; color: $text; }
#choiceRow { background: $raised; border: 1px solid transparent; border-radius: $corner; }
#choiceRow:hover { border-color: $line; }
#choiceRow[chosen="true"] { border-color: $accent; }
#choiceRow QLabel { background: transparent; }
#jobRow { background: $raised; border: none; border-radius: $corner; }
#jobRow QLabel { background: transparent; }
#consoleOutput {
    background: $ground; border: none; border-radius: 0; padding: $s0; min-height: 40px;
}
#consolePrompt { background: $raised; }
#startCard { background: transparent; border: 1px solid transparent; border-radius: $card_corner; }
#startCard:hover { background: $panel; border-color: $line; }
#startCard:focus { border-color: $accent; }
#startCard QLabel { background: transparent; }
QScrollArea { background: transparent; border: none; }
#panelBody { background: transparent; }
QSlider::groove:horizontal { height: 4px; background: $raised; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $quiet; border-radius: 2px; }
QSlider::handle:horizontal {
    width: 12px; height: 12px; margin: -4px 0; border-radius: 6px; background: $text;
}
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: $accent; }
QTabBar { background: $ground; border: none; }
QTabBar::tab {
    background: transparent; color: $quiet; padding: 5px $s2; border: none;
    border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { color: $accent; }

#rail { background: $ground; border: none; }
#rail QToolButton, #toast QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    padding: 0; margin: 0;
}
#rail QToolButton { min-width: 30px; max-width: 30px; min-height: 30px; max-height: 30px; }
#toast QToolButton { min-width: 20px; max-width: 20px; min-height: 20px; max-height: 20px; }
#rail QToolButton:hover, #toast QToolButton:hover { background: $raised; }
#rail QToolButton:pressed { background: $line; }
#rail QToolButton:checked { background: $raised; border-color: $line; }
#rail QToolButton:focus, #toast QToolButton:focus { border-color: $accent; }
#viewStrip QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    padding: 3px 4px; color: $quiet; font-size: $label;
}
#viewStrip QToolButton:hover { background: $raised; color: $text; }
#viewStrip QToolButton:checked { background: $raised; border-color: $line; color: $text; }
#viewStrip QToolButton:focus { border-color: $accent; }
#viewStrip QToolButton::menu-indicator { image: none; width: 0; }
#viewStrip QLabel#hint { color: $quiet; padding: 0 $s0; }
#viewGrid { background: $ground; }
#railLine { background: $line; max-height: 1px; min-height: 1px; border: none; }

#timeline, #transport { background: $panel; }
#transport QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    padding: 0; margin: 0;
}
#transport QToolButton:hover { background: $raised; }
#transport QToolButton:pressed { background: $line; }
#transport QToolButton:checked { background: $raised; border-color: $line; }
#transport QToolButton:focus { border-color: $accent; }
#transport QToolButton::menu-indicator { image: none; width: 0; }
#transport QToolButton#speed { color: $quiet; padding: 0 $s0; }
#transportLine { background: $line; border: none; }
#cueCard { background: $panel; border: 1px solid $line; }

#lab, #labBoard { background: $ground; }
#labGallery, #labSide, #labTransport { background: $panel; }
#labTransport QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    padding: 0; margin: 0;
}
#labTransport QToolButton:hover { background: $raised; }
#labTransport QToolButton:pressed { background: $line; }
#labTransport QToolButton:focus { border-color: $accent; }
#labPaper { color: $quiet; padding: 0; }
#labPaper:disabled { color: $quiet; }
#labCaveat {
    color: $text; background: transparent; border: none; border-left: 2px solid $warn;
    padding: 2px $s1; font-size: $label;
}

#shapes, #shapesBar, #shapesGrid { background: $ground; border: none; }
#shapesSide, #shapesFacts { background: $panel; }
#shapesSide QProgressBar { background: $raised; border: none; border-radius: 2px; }
#shapesSide QProgressBar::chunk { background: $accent; border-radius: 2px; }

#face, #faceScore { background: $ground; border: none; }
#faceSide, #faceChannels, #facePad, #faceBar { background: $panel; }
#faceBar QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    padding: 0; margin: 0;
}
#faceBar QToolButton:hover { background: $raised; }
#faceBar QToolButton:pressed { background: $line; }
#faceBar QToolButton:checked { background: $raised; border-color: $line; }
#faceBar QToolButton:focus { border-color: $accent; }
#faceBar QToolButton::menu-indicator { image: none; width: 0; }

#toolCard { background: transparent; border: 1px solid $line; border-radius: $card_corner; }
#toolCard[open="true"] { background: $ground; }
#toolCard QLabel { background: transparent; font-size: $label; }
#plotSwitch {
    background: transparent; color: $quiet; border: 1px solid transparent; border-radius: $corner;
    padding: 2px 5px; font-size: $label;
}
#plotSwitch:hover { background: $raised; color: $text; }
#plotSwitch:checked { background: $raised; border-color: $line; color: $text; }
#plotSwitch:focus { border-color: $accent; }
#plotSwitch:disabled { color: $line; }

#status { background: $ground; }
#status QLabel { color: $quiet; font-size: $label; }
#status QLabel#name { color: $text; }

QPushButton {
    background: $raised; color: $text; border: 1px solid $line; border-radius: $corner;
    min-height: 22px; padding: 0 $s2;
}
QPushButton:hover { border-color: $quiet; }
QPushButton:pressed { background: $line; }
QPushButton:disabled { color: $quiet; background: transparent; }
QPushButton:focus { border-color: $accent; }
QPushButton[primary="true"] { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[primary="true"]:hover { border-color: $text; }
QPushButton[primary="true"]:focus { border-color: $text; }
QPushButton[primary="true"]:disabled {
    color: $quiet; background: transparent; border-color: $line;
}
QPushButton[large="true"] { min-height: 30px; padding: 0 $s3; }
QPushButton[plain="true"] {
    background: transparent; border-color: transparent; text-align: left; padding: 0 $s1;
}
QPushButton[plain="true"]:hover { background: $raised; }
QPushButton[plain="true"]:focus { border-color: $accent; }

#start { background: transparent; }
#start QLabel { background: transparent; }
#startTitle { font-size: $start; color: $text; }
#startHint, #recentTitle { color: $quiet; font-size: $label; }
#recentRow {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    min-height: 33px; max-height: 33px; padding: 0;
}
#recentRow:hover { background: $raised; }
#recentRow:focus { border-color: $accent; }
#recentFolder { color: $quiet; font-size: $label; }

#toast { background: $panel; border: 1px solid $line; border-radius: $card_corner; }
#toast QLabel { background: transparent; }
#toastDetail { color: $quiet; }

QPushButton[tight="true"] { padding: 0 $s0; min-height: 20px; font-size: $label; }
QPushButton[tight="true"]:checked { color: $accent; border-color: $accent; }
#headerName { background: transparent; border-color: transparent; font-size: $title;
    font-weight: 500; padding: 0 3px; }
#headerName:hover { background: $raised; }
#headerName:read-only { background: transparent; }
#headerName:focus { border-color: $accent; background: $raised; }
QLabel[figure="true"] { font-size: $label; }
QLabel[fine="true"] { color: $quiet; font-size: $label; }
QLabel[bad="true"] { color: $bad; }
QLabel[quiet="true"] { color: $quiet; }
QLabel[heading="true"] { font-size: $title; font-weight: 500; }

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit {
    background: $raised; border: 1px solid $line; border-radius: $corner;
    min-height: 22px; padding: 0 $s1;
    selection-background-color: $accent; selection-color: $on_accent;
}
QLineEdit:focus, QSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus { border-color: $accent; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: icon(chevron-down, quiet); width: 12px; height: 12px; }
QComboBox QAbstractItemView {
    background: $panel; border: 1px solid $line; border-radius: 0; padding: $s0; outline: none;
    selection-background-color: $raised; selection-color: $text;
}
QComboBox QAbstractItemView:focus { border-color: $line; }
QComboBox QAbstractItemView::item { min-height: 22px; padding: 0 $s0; border: none; }
QComboBox QAbstractItemView::item:selected { background: $raised; color: $accent; }
QSpinBox::up-button, QSpinBox::down-button { border: none; width: 16px; background: transparent; }
QSpinBox::up-arrow { image: icon(chevron-up, quiet); width: 10px; height: 10px; }
QSpinBox::down-arrow { image: icon(chevron-down, quiet); width: 10px; height: 10px; }
QCheckBox { spacing: $s1; min-height: $control; border: 1px solid transparent; }
QCheckBox::indicator {
    width: 14px; height: 14px; background: $raised; border: 1px solid $quiet; border-radius: 3px;
}
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: $accent; }
QCheckBox::indicator:checked {
    background: $accent; border-color: $accent; image: icon(check, on_accent);
}
QCheckBox:focus { border-radius: $corner; border-color: $accent; }

QListView, QTreeView, QTableView {
    background: $panel; border: 1px solid $line; border-radius: $corner; outline: none;
    alternate-background-color: $panel;
    selection-background-color: $raised; selection-color: $text;
}
QListView:focus, QTreeView:focus { border-color: $accent; }
QListView::item, QTreeView::item { min-height: 22px; padding: 0 $s0; border: none; }
QListView::item:hover, QTreeView::item:hover { background: $raised; }
QListView::item:selected, QTreeView::item:selected { background: $raised; color: $accent; }
QTreeView::branch { background: transparent; }
#nodes { border: none; background: transparent; show-decoration-selected: 0;
    selection-background-color: transparent; }
#nodes::item { min-height: 20px; padding: 0; }
#nodes::item:hover, #nodes::item:selected { background: transparent; }
#dropLine { background: $accent; border: none; border-radius: 1px; }
#inPlace { min-height: 18px; padding: 0 3px; border-color: $accent; }
#scrolled, #scrolled > QWidget > QWidget { background: transparent; }
QHeaderView { background: $panel; border: none; }
QHeaderView::section {
    background: $panel; color: $quiet; border: none; border-bottom: 1px solid $line;
    padding: $s0 $s1; font-size: $label;
}
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QFileDialog {
    backward-icon: icon(back, text);
    forward-icon: icon(forward, text);
    filedialog-parent-directory-icon: icon(up, text);
    filedialog-new-directory-icon: icon(new-folder, text);
    filedialog-listview-icon: icon(list, text);
    filedialog-detailedview-icon: icon(details, text);
}
QFileDialog QLabel { color: $quiet; }
QFileDialog QListView, QFileDialog QTreeView { background: $ground; }
QHeaderView::down-arrow { image: icon(chevron-down, quiet); width: 10px; height: 10px; }
QHeaderView::up-arrow { image: icon(chevron-up, quiet); width: 10px; height: 10px; }
QFileDialog QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner; padding: 3px;
}
QFileDialog QToolButton:hover { background: $raised; }
QFileDialog QToolButton:focus { border-color: $accent; }
QSizeGrip { image: none; width: 0; height: 0; }
QSplitter::handle { background: transparent; }
QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: $line; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: $s4; }
QScrollBar::handle:horizontal { min-width: $s4; }
QScrollBar::handle:hover { background: $quiet; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""
