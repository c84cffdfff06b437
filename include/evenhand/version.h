#pragma once

#define EVENHAND_VERSION "0.2.0"
